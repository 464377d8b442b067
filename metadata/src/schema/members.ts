/**
 * Finds unknown and unsupported members. The members of an object are those of its zod shape. JsonObject declared with
 * `unsupported` belong to Hasura v2; they are preserved by exports and have no effect.
 */

import { z } from 'zod';
import type { JsonObject } from '../json.ts';

export type Key = string | number;

interface Unsupported {
  /** Whether Hasura v2 ignores the member too. */
  readonly isIgnored: boolean;
  /** What to do instead. */
  readonly advice: string;
  /** Whether leaving out the value would change anything in Hasura v2. */
  readonly isSet: (value: unknown) => boolean;
}

const unsupportedMembers = new WeakMap<z.ZodType, Unsupported>();
const describedBy = new WeakMap<z.ZodType, (value: unknown) => z.ZodType | undefined>();

/** The catchall of closed objects. A strict object has none. */
const strayMember = z.unknown();

/**
 * An object with a closed list of members. Parsing keeps unknown members, so that stored metadata of any version loads;
 * `parseArguments` rejects them.
 */
export function closedObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape).catchall(strayMember);
}

/** Declares a member that is preserved and has no effect. Empty values, and values for which `isSet` is false, are not reported. */
export function unsupported(advice: string, isSet: (value: unknown) => boolean = () => true) {
  return declared({ advice, isIgnored: false, isSet: (value) => !isEmptyValue(value) && isSet(value) });
}

/** Declares a member that Hasura v2 accepts and ignores; it is preserved and has no effect. Empty values are not reported. */
export function ignored(advice: string) {
  return declared({ advice, isIgnored: true, isSet: (value) => !isEmptyValue(value) });
}

/** Whether a member is accepted, with a warning or in silence, and has no effect. */
export function hasNoEffect(schema: z.ZodType): boolean {
  return unsupportedMembers.has(schema);
}

/** Returns what to do instead of a member that has no effect; undefined for other members. */
export function adviceOf(schema: z.ZodType): string | undefined {
  return unsupportedMembers.get(schema)?.advice;
}

/** Whether unknown members of objects of the schema are reported. */
export function isClosed(schema: z.ZodType): boolean {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  return def.type === 'object' && isClosedObject(def);
}

function isClosedObject({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall === strayMember || catchall?._zod.def.type === 'never';
}

function declared(member: Unsupported) {
  const schema = z.unknown().optional();
  unsupportedMembers.set(schema, member);
  return schema;
}

/** Declares the members of `schema`, which transforms any input, as those of the schema that `describe` returns. */
export function describeMembers<Schema extends z.ZodType>(
  schema: Schema,
  describe: (value: unknown) => z.ZodType | undefined,
): Schema {
  describedBy.set(schema, describe);
  return schema;
}

export interface StrayMember {
  readonly path: readonly Key[];
  readonly value: unknown;
  /** `null`: an optional member whose schema does not accept null, which Hasura v2 treats as absent. */
  readonly kind: 'unknown' | 'unsupported' | 'null';
  /** Whether it has no effect in Hasura v2 either, as far as this version knows. */
  readonly isIgnored: boolean;
  /** What to do instead of an unsupported member. */
  readonly advice: string;
  /** The valid members of its object. */
  readonly known: readonly string[];
}

/** Returns the members of `value` that `schema` does not know or does not support, outermost first. */
export function strayMembers(schema: z.ZodType, value: unknown): readonly StrayMember[] {
  return walk(schema, value, []).filter(({ kind }) => kind !== 'null');
}

/** As `strayMembers`, with optional members that are null. */
export function strayAndNullMembers(schema: z.ZodType, value: unknown): readonly StrayMember[] {
  return walk(schema, value, []);
}

/** Returns a copy of `value` without the members at `paths`. */
export function withoutMembers(value: unknown, paths: readonly (readonly Key[])[]): unknown {
  if (paths.length === 0 || !hasMembers(value)) return value;
  const below = new Map<Key, (readonly Key[])[]>();
  for (const [key, ...rest] of paths) {
    if (key === undefined) continue;
    const within = below.get(key);
    if (within === undefined) below.set(key, [rest]);
    else within.push(rest);
  }
  if (Array.isArray(value)) return value.map((one: unknown, index) => withoutMembers(one, below.get(index) ?? []));
  const kept = Object.entries(value).filter(([name]) => below.get(name)?.some((rest) => rest.length === 0) !== true);
  return Object.fromEntries(
    kept.map(([name, member]: [string, unknown]) => [name, withoutMembers(member, below.get(name) ?? [])]),
  );
}

function walk(schema: z.ZodType, value: unknown, path: readonly Key[]): readonly StrayMember[] {
  if (!hasMembers(value)) return [];
  const described = describedBy.get(schema);
  if (described !== undefined) {
    const other = described(value);
    return other === undefined ? [] : walk(other, value, path);
  }
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return Array.isArray(value) ? [] : inObject(def, value as JsonObject, path);
    case 'array': {
      const element = def.element as z.ZodType;
      if (!Array.isArray(value)) return [];
      return value.flatMap((one, index) => (hasMembers(one) ? inElement(element, one, [...path, index]) : []));
    }
    case 'record':
      return Array.isArray(value) ? [] : inRecord(def, value as JsonObject, path);
    case 'union':
      return inUnion(def.options as readonly z.ZodType[], value, path);
    default: {
      const inner = innerOf(schema);
      return inner === undefined ? [] : walk(inner, value, path);
    }
  }
}

/** Elements without such members, by the schema of their list. The metadata is not changed in place. */
const cleanElements = new WeakMap<z.ZodType, WeakSet<object>>();

function inElement(schema: z.ZodType, element: object, path: readonly Key[]): readonly StrayMember[] {
  const clean = cleanElements.get(schema) ?? new WeakSet();
  cleanElements.set(schema, clean);
  if (clean.has(element)) return [];
  const found = walk(schema, element, path);
  if (found.length === 0) clean.add(element);
  return found;
}

function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function inObject(def: z.core.$ZodObjectDef, value: JsonObject, path: readonly Key[]): readonly StrayMember[] {
  const known = Object.keys(def.shape);
  const closed = isClosedObject(def);
  const here: StrayMember[] = [];
  const below: StrayMember[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const schema = Object.hasOwn(def.shape, name) ? (def.shape[name] as z.ZodType) : undefined;
    if (schema === undefined) {
      if (closed) here.push(unknownMember([...path, name], member, known));
      continue;
    }
    const unsupported = unsupportedMembers.get(schema);
    if (unsupported !== undefined) {
      const { isSet, advice, isIgnored } = unsupported;
      const stray = { path: [...path, name], value: member, kind: 'unsupported', isIgnored, advice, known } as const;
      if (isSet(member)) here.push(stray);
    } else if (member === null) {
      if (isAbsentIfNull(schema)) below.push({ ...unknownMember([...path, name], null, known), kind: 'null' });
    } else if (hasMembers(member)) {
      for (const one of walk(schema, member, [...path, name])) below.push(one);
    }
  }
  return [...here, ...below];
}

const absentIfNull = new WeakMap<z.ZodType, boolean>();

/** Whether a member may be absent and may not be null. */
function isAbsentIfNull(schema: z.ZodType): boolean {
  const known = absentIfNull.get(schema);
  if (known !== undefined) return known;
  const found = schema.safeParse(undefined).success && !schema.safeParse(null).success;
  absentIfNull.set(schema, found);
  return found;
}

function unknownMember(path: readonly Key[], value: unknown, known: readonly string[]): StrayMember {
  return { path, value, kind: 'unknown', isIgnored: true, advice: '', known };
}

/** Keys of an enum are members; other keys are free names. */
/** The member that zod leaves out of parsed records: a filter with no other member would become one that accepts all rows. */
export const DROPPED = '__proto__';

function inRecord(def: z.core.$ZodRecordDef, value: JsonObject, path: readonly Key[]): readonly StrayMember[] {
  const key = (def.keyType as unknown as z.core.$ZodTypes)._zod.def;
  const known = key.type === 'enum' ? Object.values(key.entries).map(String) : undefined;
  return Object.entries(value).flatMap(([name, member]) =>
    known?.includes(name) === false || name === DROPPED
      ? [unknownMember([...path, name], member, known ?? [])]
      : walk(def.valueType as z.ZodType, member, [...path, name]),
  );
}

/** Chooses the best matching option: the one whose first unknown member is deepest, then the one with the fewest. */
function inUnion(options: readonly z.ZodType[], value: object, path: readonly Key[]): readonly StrayMember[] {
  const possible = options.filter((option) => takes(option, value));
  const [only, other] = possible;
  if (only !== undefined && other === undefined) return walk(only, value, path);
  const found = possible.map((option) => {
    const members = walk(option, value, path);
    const unknown = members.filter(({ kind }) => kind === 'unknown');
    const depth = Math.min(Number.POSITIVE_INFINITY, ...unknown.map((one) => one.path.length));
    return { members, depth, count: unknown.length, otherKind: hasOtherLiteral(option, value) ? 1 : 0 };
  });
  found.sort((a, b) => a.otherKind - b.otherKind || compareDepth(b.depth, a.depth) || a.count - b.count);
  return found[0]?.members ?? [];
}

/** Handles `Infinity - Infinity`, which is NaN. */
function compareDepth(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** Whether a schema can match an object or a list such as `value`. */
function takes(schema: z.ZodType, value: object): boolean {
  if (describedBy.has(schema)) return true;
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
    case 'record':
      return !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'union':
      return (def.options as readonly z.ZodType[]).some((option) => takes(option, value));
    case 'unknown':
    case 'any':
      return true;
    default: {
      const inner = innerOf(schema);
      return inner !== undefined && takes(inner, value);
    }
  }
}

/** Whether `value` contradicts a literal member of the schema, such as `action: 'remove'`. */
function hasOtherLiteral(schema: z.ZodType, value: object): boolean {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type !== 'object') return false;
  return Object.entries(def.shape).some(([name, member]) => {
    const own = (member as unknown as z.core.$ZodTypes)._zod.def;
    return (
      own.type === 'literal' && Object.hasOwn(value, name) && !own.values.includes((value as JsonObject)[name] as never)
    );
  });
}

/** Returns the schema inside a wrapper; undefined for schemas without members. */
function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return def.innerType as z.ZodType;
    case 'pipe': {
      // The input of a preprocessed schema has the members of the schema.
      const input = def.in as z.ZodType;
      return (input as unknown as z.core.$ZodTypes)._zod.def.type === 'transform' ? (def.out as z.ZodType) : input;
    }
    case 'lazy':
      return def.getter() as z.ZodType;
    default:
      return undefined;
  }
}

/** Whether a value is null, false or empty, or holds only such values. */
function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmptyValue);
}
