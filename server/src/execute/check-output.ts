/** A handler's answer, checked against its type at every depth and cut to what was asked, in one pass. */
import { ExactNumber } from '../base/json.ts';
import type { EnumRef, OutputNamed, OutputObject, ScalarRef, TypeRef } from '../model/model.ts';
import { namedIn, printType } from '../model/type-expression.ts';
import type { JoinPlan, OutputFieldPlan, OutputPlan } from '../plan/plan.ts';

/**
 * Told of every place in the result that a join fills, with its key: the raw values of the mapped fields. It gives
 * `into[alias]` a value at once, so that the members keep their order.
 */
export type OnJoin = (join: JoinPlan, into: Record<string, unknown>, alias: string, key: readonly unknown[]) => void;

/** The answer does not fit its type. The message names the place, what was expected and what was found. */
export class WrongAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WrongAnswer';
  }
}

/**
 * What `plan` wants of `answer`. Members that the type does not have are ignored, missing nullable ones are null.
 * Everything that the type names is checked, selected or not, so that a handler is right or wrong whatever was asked.
 * Values of custom and Postgres scalars are taken as they are. Throws WrongAnswer.
 */
export function checkOutput(plan: OutputPlan, answer: unknown, onJoin: OnJoin): unknown {
  const compiler: Compiler = { onJoin, unselected: new Map() };
  return compilePlan(compiler, plan)(answer, []);
}

/** Member names and list positions from the answer to the value at hand. */
type Trail = (string | number)[];
/** The projected value; a check of what nobody selected gives nothing of use. */
type Check = (value: unknown, trail: Trail) => unknown;
type JsonObject = Readonly<Record<string, unknown>>;

interface Compiler {
  readonly onJoin: OnJoin;
  /** Checks of whole objects that nobody selected. Made late, as types may refer to each other in circles. */
  readonly unselected: Map<OutputObject, Check>;
}

/** Deeper answers can only come of a type that holds itself, and would exhaust the stack. */
const DEEPEST = 1_000;

function compilePlan(compiler: Compiler, { type, fields }: OutputPlan): Check {
  const named = namedIn(type);
  const shown = true;
  if (named.kind !== 'object') return wrapped(type, leaf(named, type, shown), shown);
  return wrapped(type, selectedObject(compiler, named, fields ?? []), shown);
}

/** `shown` says whether the caller may see the value in an error: it asked for it. */
function wrapped(type: TypeRef<OutputNamed>, named: Check, shown: boolean, nullable = true, outer = type): Check {
  if (type.kind === 'nonNull') return wrapped(type.of, named, shown, false, type);
  const inner = type.kind === 'list' ? list(wrapped(type.of, named, shown), type, shown) : named;
  return (value, trail) => {
    if (value !== null && value !== undefined) return inner(value, trail);
    if (nullable) return null;
    throw wrong(trail, printed(outer), value, shown);
  };
}

function list(item: Check, type: TypeRef<OutputNamed>, shown: boolean): Check {
  return (value, trail) => {
    if (!Array.isArray(value)) throw wrong(trail, printed(type), value, shown);
    const result: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      trail.push(index);
      result.push(item(value[index], trail));
      trail.pop();
    }
    return result;
  };
}

function selectedObject(compiler: Compiler, object: OutputObject, fields: readonly OutputFieldPlan[]): Check {
  const names = new Set(fields.flatMap((field) => (field.kind === 'field' ? [field.name] : [])));
  const members = fields.map((field) => member(compiler, field));
  const rest = otherFields(compiler, object, names);
  return (value, trail) => {
    if (!isObject(value)) throw wrong(trail, object.name, value, true);
    const result: Record<string, unknown> = {};
    for (const fill of members) fill(value, result, trail);
    for (const check of rest) check(value, trail);
    return result;
  };
}

type Fill = (from: JsonObject, into: Record<string, unknown>, trail: Trail) => void;

function member(compiler: Compiler, field: OutputFieldPlan): Fill {
  const { alias } = field;
  switch (field.kind) {
    case 'constant':
      return (_from, into) => put(into, alias, field.value);
    case 'field': {
      const { name } = field;
      const read = reader(name);
      const check = compilePlan(compiler, field.output);
      return (from, into, trail) => {
        trail.push(name);
        put(into, alias, check(read(from), trail));
        trail.pop();
      };
    }
    case 'join': {
      const readers = field.join.keys.map(({ name }) => reader(name));
      return (from, into) => {
        const key = readers.map((read) => read(from) ?? null);
        compiler.onJoin(field.join, into, alias, key);
      };
    }
    default:
      return field satisfies never;
  }
}

function otherFields(compiler: Compiler, object: OutputObject, selected: ReadonlySet<string>): Check[] {
  const others = [...object.fields.values()].filter(({ name }) => !selected.has(name));
  return others.map(({ name, type }): Check => {
    const named = namedIn(type);
    const shown = false;
    const inner = named.kind === 'object' ? unselectedObject(compiler, named) : leaf(named, type, shown);
    const check = wrapped(type, inner, shown);
    const read = reader(name);
    return (value, trail) => {
      trail.push(name);
      check(read(value as JsonObject), trail);
      trail.pop();
    };
  });
}

function unselectedObject(compiler: Compiler, object: OutputObject): Check {
  return (value, trail) => {
    if (trail.length > DEEPEST) throw new WrongAnswer(`${place(trail.slice(0, 10))}...: nested too deep`);
    if (!isObject(value)) throw wrong(trail, object.name, value, false);
    let checks = compiler.unselected.get(object);
    if (checks === undefined) {
      const each = otherFields(compiler, object, new Set());
      checks = (whole, inside) => {
        for (const check of each) check(whole, inside);
      };
      compiler.unselected.set(object, checks);
    }
    return checks(value, trail);
  };
}

function leaf(named: ScalarRef | EnumRef, type: TypeRef<OutputNamed>, shown: boolean): Check {
  const fits = named.kind === 'enum' ? enumFits(named) : scalarFits(named);
  if (fits === undefined) return (value) => value;
  const expected = named.kind === 'enum' ? enumText(named) : printed(innermost(type));
  return (value, trail) => {
    if (fits(value)) return value;
    throw wrong(trail, expected, value, shown);
  };
}

function enumFits(type: EnumRef): (value: unknown) => boolean {
  const values = new Set<unknown>(type.values.map(({ value }) => value));
  return (value) => values.has(value);
}

function enumText(type: EnumRef): string {
  return `${type.name} (${type.values.map(({ value }) => value).join(', ')})`;
}

function scalarFits({ name, origin }: ScalarRef): ((value: unknown) => boolean) | undefined {
  if (origin !== 'graphql') return undefined;
  switch (name) {
    case 'Int':
      return (value) => typeof value === 'number' && (value | 0) === value;
    case 'Float':
      return (value) => typeof value === 'number' || value instanceof ExactNumber;
    case 'Boolean':
      return (value) => typeof value === 'boolean';
    case 'ID':
      return (value) => typeof value === 'string' || Number.isInteger(value) || value instanceof ExactNumber;
    default:
      return (value) => typeof value === 'string';
  }
}

/** The name at the centre with its own non-null mark. */
function innermost(type: TypeRef<OutputNamed>): TypeRef<OutputNamed> {
  if (type.kind === 'named' || (type.kind === 'nonNull' && type.of.kind === 'named')) return type;
  return innermost(type.of);
}

function printed(type: TypeRef<OutputNamed>): string {
  return printType(type, (named) => named.name);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/** A member of the answer itself, never one that every object inherits, such as `constructor`. */
function reader(name: string): (object: JsonObject) => unknown {
  if (name in Object.prototype) return (object) => (Object.hasOwn(object, name) ? object[name] : undefined);
  return (object) => object[name];
}

function put(into: Record<string, unknown>, alias: string, value: unknown): void {
  if (alias !== '__proto__') into[alias] = value;
  else Object.defineProperty(into, alias, { value, enumerable: true, writable: true, configurable: true });
}

function wrong(trail: Trail, expected: string, value: unknown, shown: boolean): WrongAnswer {
  return new WrongAnswer(`${place(trail)}: expected ${expected}, found ${shown ? show(value) : kindOf(value)}`);
}

/** `response.items[3].price` */
function place(trail: Trail): string {
  return trail.reduce<string>((path, step) => path + (typeof step === 'number' ? `[${step}]` : `.${step}`), 'response');
}

const LONGEST_SHOWN = 60;

function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}...` : value);
  }
  if (value instanceof ExactNumber) return value.text.slice(0, LONGEST_SHOWN);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
