/** Checks the response of a handler against its type, and selects the requested fields, in one pass. */
import { isJsonObject, type JsonObject, jsonPath, kindOf, setMember, showJson } from '../../base/json-value.ts';
import { namedIn, printType } from '../../model/actions/type-expression.ts';
import type {
  EnumRef,
  OutputAbstract,
  OutputNamed,
  OutputObject,
  ScalarRef,
  TypeRef,
} from '../../model/types/action.ts';
import type { JoinPlan, OutputFieldPlan, OutputPlan } from '../../plan/plan/query.ts';
import { enumText, fitsOf } from './output-values.ts';

/**
 * Called for each joined field of the result with its key: the unprocessed values of the mapped fields. Sets
 * `into[alias]` immediately, which preserves the order of the members.
 */
export type OnJoin = (join: JoinPlan, into: Record<string, unknown>, alias: string, key: readonly unknown[]) => void;

/** A response that does not match its type. The message contains the path, the expected and the actual value. */
export class OutputMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutputMismatch';
  }
}

/**
 * Returns the fields of `response` that `plan` selects. Unknown members are ignored, and missing nullable members are null.
 * All fields of the type are checked, selected or not, so that the result does not depend on the selection. Values of
 * custom and Postgres scalars are not checked. Throws OutputMismatch.
 */
export function checkOutput(plan: OutputPlan, response: unknown, onJoin: OnJoin): unknown {
  const check = compiled.get(plan) ?? compilePlan(plan);
  compiled.set(plan, check);
  return check(response, { trail: [], onJoin });
}

/** The state of checking one response. */
interface Walk {
  /** Member names and list indexes from the response to the current value. */
  readonly trail: (string | number)[];
  readonly onJoin: OnJoin;
}

/** Returns the selected value. The result for a field that is not selected is not used. */
type Check = (value: unknown, walk: Walk) => unknown;

/** Cached for the lifetime of the plan. */
const compiled = new WeakMap<OutputPlan, Check>();

/** Checks of objects that are not selected. Built on first use, since types can be recursive. */
const unselected = new WeakMap<OutputObject, Check>();

/** Maximum depth of a response with a recursive type, which could exhaust the stack. */
const DEEPEST = 1_000;

function compilePlan({ type, fields, members }: OutputPlan): Check {
  const named = namedIn(type);
  const shown = true;
  if (named.kind === 'object') return wrapped(type, selectedObject(named, fields ?? []), shown);
  if (named.kind !== 'abstract') return wrapped(type, leaf(named, type, shown), shown);
  const wanted = members ?? named.members.map((object) => ({ object, fields: [] }));
  const checks = wanted.map((one) => [one.object.name, selectedObject(one.object, one.fields)] as const);
  return wrapped(type, oneOf(named, new Map(checks), shown), shown);
}

/** `shown` is true if errors may contain the value, because the caller selected it. */
function wrapped(type: TypeRef<OutputNamed>, named: Check, shown: boolean, nullable = true, outer = type): Check {
  if (type.kind === 'nonNull') return wrapped(type.of, named, shown, false, type);
  const inner = type.kind === 'list' ? list(wrapped(type.of, named, shown), type, shown) : named;
  return (value, walk) => {
    if (value !== null && value !== undefined) return inner(value, walk);
    if (nullable) return null;
    throw wrong(walk, printed(outer), value, shown);
  };
}

function list(item: Check, type: TypeRef<OutputNamed>, shown: boolean): Check {
  return (value, walk) => {
    if (!Array.isArray(value)) throw wrong(walk, printed(type), value, shown);
    const result: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      walk.trail.push(index);
      result.push(item(value[index], walk));
      walk.trail.pop();
    }
    return result;
  };
}

function selectedObject(object: OutputObject, fields: readonly OutputFieldPlan[]): Check {
  const names = new Set(fields.flatMap((field) => (field.kind === 'field' ? [field.name] : [])));
  const members = fields.map((field) => member(field));
  const rest = otherFields(object, names);
  return (value, walk) => {
    if (!isJsonObject(value)) throw wrong(walk, object.name, value, true);
    const result: Record<string, unknown> = {};
    for (const fill of members) fill(value, result, walk);
    for (const check of rest) check(value, walk);
    return result;
  };
}

/** Returns a check that selects the object type by `__typename`. */
function oneOf(named: OutputAbstract, members: ReadonlyMap<string, Check>, shown: boolean): Check {
  const read = reader('__typename');
  return (value, walk) => {
    if (!isJsonObject(value)) throw wrong(walk, named.name, value, shown);
    const given = read(value);
    const check = typeof given === 'string' ? members.get(given) : undefined;
    if (check !== undefined) return check(value, walk);
    walk.trail.push('__typename');
    throw wrong(walk, `a type of ${named.name} (${[...members.keys()].join(', ')})`, given, shown);
  };
}

type Fill = (from: JsonObject, into: Record<string, unknown>, walk: Walk) => void;

function member(field: OutputFieldPlan): Fill {
  const { alias } = field;
  switch (field.kind) {
    case 'constant':
      return (_from, into) => setMember(into, alias, field.value);
    case 'field': {
      const { name } = field;
      const read = reader(name);
      const check = compilePlan(field.output);
      return (from, into, walk) => {
        walk.trail.push(name);
        setMember(into, alias, check(read(from), walk));
        walk.trail.pop();
      };
    }
    case 'join': {
      const readers = field.join.keys.map(({ name }) => reader(name));
      return (from, into, walk) => {
        const key = readers.map((read) => read(from) ?? null);
        walk.onJoin(field.join, into, alias, key);
      };
    }
    default:
      return field satisfies never;
  }
}

function otherFields(object: OutputObject, selected: ReadonlySet<string>): Check[] {
  const others = [...object.fields.values()].filter(({ name }) => !selected.has(name));
  return others.map(({ name, type }): Check => {
    const named = namedIn(type);
    const shown = false;
    const inner = unselectedCheck(named, type);
    const check = wrapped(type, inner, shown);
    const read = reader(name);
    return (value, walk) => {
      walk.trail.push(name);
      check(read(value as JsonObject), walk);
      walk.trail.pop();
    };
  });
}

function unselectedCheck(named: OutputNamed, type: TypeRef<OutputNamed>): Check {
  if (named.kind === 'object') return unselectedObject(named);
  if (named.kind !== 'abstract') return leaf(named, type, false);
  return oneOf(named, new Map(named.members.map((one) => [one.name, unselectedObject(one)])), false);
}

function unselectedObject(object: OutputObject): Check {
  return (value, walk) => {
    if (walk.trail.length > DEEPEST) throw new OutputMismatch(`${place(walk.trail.slice(0, 10))}...: nested too deep`);
    if (!isJsonObject(value)) throw wrong(walk, object.name, value, false);
    let checks = unselected.get(object);
    if (checks === undefined) {
      const each = otherFields(object, new Set());
      checks = (whole, inside) => {
        for (const check of each) check(whole, inside);
      };
      unselected.set(object, checks);
    }
    return checks(value, walk);
  };
}

function leaf(named: ScalarRef | EnumRef, type: TypeRef<OutputNamed>, shown: boolean): Check {
  const fits = fitsOf(named);
  if (fits === undefined) return (value) => value;
  const expected = named.kind === 'enum' ? enumText(named) : printed(innermost(type));
  return (value, walk) => {
    if (fits(value)) return value;
    throw wrong(walk, expected, value, shown);
  };
}

/** Returns the named type within lists, with its non-null mark. */
function innermost(type: TypeRef<OutputNamed>): TypeRef<OutputNamed> {
  if (type.kind === 'named' || (type.kind === 'nonNull' && type.of.kind === 'named')) return type;
  return innermost(type.of);
}

function printed(type: TypeRef<OutputNamed>): string {
  return printType(type, (named) => named.name);
}

/** Returns a reader of an own member, never of an inherited one such as `constructor`. */
function reader(name: string): (object: JsonObject) => unknown {
  if (name in Object.prototype) return (object) => (Object.hasOwn(object, name) ? object[name] : undefined);
  return (object) => object[name];
}

function wrong({ trail }: Walk, expected: string, value: unknown, shown: boolean): OutputMismatch {
  return new OutputMismatch(`${place(trail)}: expected ${expected}, found ${shown ? showJson(value) : kindOf(value)}`);
}

/** `response.items[3].price` */
function place(trail: Walk['trail']): string {
  return jsonPath(trail, 'response');
}
