/** Checks the response of a handler, collects the keys of its joins and prints the selected fields, in one pass. */
import { isJsonObject, isPlainText, type JsonObject, printJson } from '../../base/json-value.ts';
import { namedIn } from '../../model/actions/type-expression.ts';
import type {
  EnumRef,
  OutputAbstract,
  OutputNamed,
  OutputObject,
  ScalarRef,
  TypeRef,
} from '../../model/types/action.ts';
import type { JoinPlan, OutputFieldPlan, OutputPlan } from '../../plan/plan/query.ts';
import { fitsOf } from './output-values.ts';

/** A part of a text that is known later. */
export interface Gap {
  /** Returns the JSON text. */
  print(): string;
}

/** JSON text with gaps for the values of joins. */
export class GappedText {
  /** The text after the last gap. */
  text = '';
  /** Texts, each followed by a gap. Most values have no gap. */
  private parts: (string | Gap)[] | undefined;

  get hasGaps(): boolean {
    return this.parts !== undefined;
  }

  add(gap: Gap): void {
    this.parts ??= [];
    this.parts.push(this.text, gap);
    this.text = '';
  }

  print(): string {
    let whole = '';
    for (const part of this.parts ?? []) whole += typeof part === 'string' ? part : part.print();
    return whole + this.text;
  }
}

/** Prints the value of a joined field for its key, or a gap for it. */
export interface JoinPrinter {
  print(join: JoinPlan, key: readonly unknown[], out: GappedText): void;
}

/**
 * Prints the value that `checkOutput` returns. Returns undefined for a response that does not match its type, which
 * `checkOutput` describes.
 */
export function printOutput(plan: OutputPlan, response: unknown, joins: JoinPrinter): GappedText | undefined {
  let write = compiled.get(plan);
  if (write === undefined) {
    write = writerOfPlan(plan);
    compiled.set(plan, write);
  }
  const out = new GappedText();
  return write(response, out, joins) ? out : undefined;
}

/** Returns false for a value that does not match. */
type Write = (value: unknown, out: GappedText, joins: JoinPrinter) => boolean;

/** Whether a value that is not selected matches. `depth` is the number of objects around it. */
type Matches = (value: unknown, depth: number) => boolean;

/** Cached for the lifetime of the plan. */
const compiled = new WeakMap<OutputPlan, Write>();

/** Values of unselected fields that are nested deeper are left to `checkOutput`. */
const DEEPEST = 500;

function writerOfPlan({ type, fields, members }: OutputPlan): Write {
  const named = namedIn(type);
  if (named.kind === 'object') return wrapped(type, objectWriter(named, fields ?? []));
  if (named.kind !== 'abstract') return wrapped(type, leafWriter(named));
  const wanted = members ?? named.members.map((object) => ({ object, fields: [] }));
  const writers = wanted.map((one) => [one.object.name, objectWriter(one.object, one.fields)] as const);
  return wrapped(type, memberWriter(new Map(writers)));
}

function wrapped(type: TypeRef<OutputNamed>, named: Write, nullable = true): Write {
  if (type.kind === 'nonNull') return wrapped(type.of, named, false);
  const inner = type.kind === 'list' ? listWriter(wrapped(type.of, named)) : named;
  return (value, out, joins) => {
    if (value !== null && value !== undefined) return inner(value, out, joins);
    if (nullable) out.text += 'null';
    return nullable;
  };
}

function listWriter(item: Write): Write {
  return (value, out, joins) => {
    if (!Array.isArray(value)) return false;
    for (let index = 0; index < value.length; index += 1) {
      out.text += index === 0 ? '[' : ',';
      if (!item(value[index], out, joins)) return false;
    }
    out.text += value.length === 0 ? '[]' : ']';
    return true;
  };
}

function leafWriter(named: ScalarRef | EnumRef): Write {
  const fits = fitsOf(named);
  return (value, out) => {
    if (fits !== undefined && !fits(value)) return false;
    out.text += printJson(value);
    return true;
  };
}

/** Returns a writer that selects the object type by `__typename`. */
function memberWriter(members: ReadonlyMap<unknown, Write>): Write {
  return (value, out, joins) => {
    const write = isJsonObject(value) ? members.get(memberOf(value, '__typename')) : undefined;
    return write?.(value, out, joins) ?? false;
  };
}

/** The kinds of values with the fewest operations: most fields are such scalars, or are not checked. */
type LeafKind = 'string' | 'int' | 'other';

/** A selected field of an object. `before` is the text up to its value: `{"id":`, `,"name":`. */
type Step =
  | { readonly kind: 'constant'; readonly before: string }
  | {
      readonly kind: 'leaf';
      readonly before: string;
      /** `before` with the quote that opens a string. A text of fewer parts is cheaper to write. */
      readonly quoted: string;
      readonly name: string;
      readonly leaf: LeafKind;
      readonly nullable: boolean;
      readonly fits: ((value: unknown) => boolean) | undefined;
    }
  | { readonly kind: 'nested'; readonly before: string; readonly name: string; readonly write: Write }
  | { readonly kind: 'join'; readonly before: string; readonly join: JoinPlan; readonly names: readonly string[] };

function objectWriter(object: OutputObject, fields: readonly OutputFieldPlan[]): Write {
  const selected = new Set(fields.flatMap((field) => (field.kind === 'field' ? [field.name] : [])));
  const steps = fields.map((field, index) => stepOf(field, `${index === 0 ? '{' : ','}${printJson(field.alias)}:`));
  const rest = restOf(object, selected);
  const end = steps.length === 0 ? '{}' : '}';
  return (value, out, joins) => {
    if (!isJsonObject(value)) return false;
    for (let index = 0; index < steps.length; index += 1) {
      const step = steps[index];
      if (step === undefined || !writeStep(step, value, out, joins)) return false;
    }
    out.text += end;
    return rest(value, 0);
  };
}

function stepOf(field: OutputFieldPlan, before: string): Step {
  switch (field.kind) {
    case 'constant':
      return { kind: 'constant', before: before + printJson(field.value) };
    case 'join':
      return { kind: 'join', before, join: field.join, names: field.join.keys.map(({ name }) => name) };
    case 'field': {
      const { name, output } = field;
      const leaf = leafOf(output.type);
      return leaf === undefined
        ? { kind: 'nested', before, name, write: writerOfPlan(output) }
        : { kind: 'leaf', before, quoted: `${before}"`, name, ...leaf };
    }
    default:
      return field satisfies never;
  }
}

/** Returns the kind of a scalar or an enum; undefined for a list, an object or an abstract type. */
function leafOf(
  type: TypeRef<OutputNamed>,
): Pick<Extract<Step, { kind: 'leaf' }>, 'leaf' | 'nullable' | 'fits'> | undefined {
  const inner = type.kind === 'nonNull' ? type.of : type;
  if (inner.kind !== 'named' || inner.type.kind === 'object' || inner.type.kind === 'abstract') return undefined;
  const named = inner.type;
  const isBuiltIn = named.kind === 'scalar' && named.origin === 'graphql';
  const leaf = isBuiltIn && named.name === 'String' ? 'string' : isBuiltIn && named.name === 'Int' ? 'int' : 'other';
  return { leaf, nullable: type.kind !== 'nonNull', fits: fitsOf(named) };
}

function writeStep(step: Step, from: JsonObject, out: GappedText, joins: JoinPrinter): boolean {
  switch (step.kind) {
    case 'leaf': {
      const value = memberOf(from, step.name);
      if (value === null || value === undefined) {
        if (step.nullable) out.text += `${step.before}null`;
        return step.nullable;
      }
      if (step.leaf === 'string') {
        if (typeof value !== 'string') return false;
        out.text += isPlainText(value) ? `${step.quoted}${value}"` : step.before + JSON.stringify(value);
        return true;
      }
      if (step.leaf === 'int') {
        if (typeof value !== 'number' || (value | 0) !== value) return false;
        out.text += step.before + value;
        return true;
      }
      if (step.fits !== undefined && !step.fits(value)) return false;
      out.text += step.before + printJson(value);
      return true;
    }
    case 'join': {
      const { names } = step;
      const [first = ''] = names;
      out.text += step.before;
      const key =
        names.length === 1 ? [memberOf(from, first) ?? null] : names.map((name) => memberOf(from, name) ?? null);
      joins.print(step.join, key, out);
      return true;
    }
    case 'nested':
      out.text += step.before;
      return step.write(memberOf(from, step.name), out, joins);
    case 'constant':
      out.text += step.before;
      return true;
    default:
      return step satisfies never;
  }
}

/** Returns an own member, never an inherited one such as `constructor`. JSON has no functions, which all others are. */
function memberOf(object: JsonObject, name: string): unknown {
  const value = object[name];
  if (typeof value === 'function') return undefined;
  return name === '__proto__' && !Object.hasOwn(object, name) ? undefined : value;
}

/** Returns a check of the fields that are not selected. */
function restOf(object: OutputObject, selected: ReadonlySet<string>): (value: JsonObject, depth: number) => boolean {
  const names: string[] = [];
  const checks: Matches[] = [];
  for (const { name, type } of object.fields.values()) {
    if (selected.has(name)) continue;
    names.push(name);
    checks.push(matching(type));
  }
  return (value, depth) => {
    for (let index = 0; index < names.length; index += 1) {
      if (checks[index]?.(memberOf(value, names[index] ?? ''), depth) !== true) return false;
    }
    return true;
  };
}

function matching(type: TypeRef<OutputNamed>, nullable = true): Matches {
  if (type.kind === 'nonNull') return matching(type.of, false);
  const inner = type.kind === 'list' ? listMatching(matching(type.of)) : namedMatching(type.type);
  return (value, depth) => (value === null || value === undefined ? nullable : inner(value, depth));
}

function listMatching(item: Matches): Matches {
  return (value, depth) => Array.isArray(value) && value.every((one: unknown) => item(one, depth));
}

function namedMatching(named: OutputNamed): Matches {
  if (named.kind === 'object') return objectMatching(named);
  if (named.kind === 'abstract') return memberMatching(named);
  return fitsOf(named) ?? (() => true);
}

function memberMatching({ members }: OutputAbstract): Matches {
  const checks = new Map<unknown, Matches>(members.map((object) => [object.name, objectMatching(object)]));
  return (value, depth) => isJsonObject(value) && checks.get(memberOf(value, '__typename'))?.(value, depth) === true;
}

/** Checks of objects that are not selected. Built on first use, since types can be recursive. */
const unselected = new WeakMap<OutputObject, ReturnType<typeof restOf>>();

function objectMatching(object: OutputObject): Matches {
  return (value, depth) => {
    if (depth >= DEEPEST || !isJsonObject(value)) return false;
    let check = unselected.get(object);
    if (check === undefined) {
      check = restOf(object, new Set());
      unselected.set(object, check);
    }
    return check(value, depth + 1);
  };
}
