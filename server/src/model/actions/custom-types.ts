/** The stage of resolve for custom types of actions. An invalid type is dropped with the types that depend on it. */
import type { EnumType, InputValue, ObjectType } from '@joinery/metadata/schema/actions';
import type { Steps } from '../../base/steps.ts';
import { typeName } from '../names/source-names.ts';
import { takenNames } from '../names/taken-names.ts';
import type { InputField, InputNamed, OutputAbstract, OutputNamed, OutputObject, TypeRef } from '../types/action.ts';
import type { Draft } from '../types/draft.ts';
import { connectAbstractTypes, removeDropped } from './abstract-types.ts';
import { defaultProblem } from './arguments.ts';
import { declare, descriptionOf, type Entry, type EntryOf, kindNames } from './custom-type-entries.ts';
import { graphqlScalars, postgresScalars, tableEnums } from './postgres-scalars.ts';
import { mapNamed, namedIn, parseTypeExpression } from './type-expression.ts';

/** Resolves type expressions of arguments and outputs of actions. */
export interface TypeLookup {
  input(expression: string): TypeRef<InputNamed> | InvalidType;
  output(expression: string): TypeRef<OutputNamed> | InvalidType;
  /** The valid object types. */
  readonly objects: readonly WrittenObject[];
}

/** An object type of outputs with its metadata entry. */
export interface WrittenObject {
  readonly type: OutputObject;
  readonly written: ObjectType;
  readonly path: string;
}

/** The error of a type expression. */
export class InvalidType {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

type Named = Entry['type'];

/** Resolves the custom types of `draft`. Reports invalid ones. */
export function* resolveCustomTypes(draft: Draft): Steps<TypeLookup> {
  const written = draft.input.metadata.custom_types;
  const all = written === undefined ? [] : declare(written);
  yield;
  const entries = yield* firstOfEachName(draft, all);
  const postgres = new Map<string, Named>([...postgresScalars(draft), ...tableEnums(draft)]);
  const rows = rowTypes(draft);
  const find = (name: string) => entries.get(name)?.type ?? postgres.get(name) ?? rows.get(name);
  for (const entry of entries.values()) {
    yield;
    if (entry.kind === 'enum') entry.problems.push(...enumProblems(entry.written));
    if (entry.kind === 'input') yield* fillInput(entry, find);
    if (entry.kind === 'object' || entry.kind === 'interface') yield* fillOutput(entry, find);
  }
  yield* connectAbstractTypes(entries);
  for (const entry of entries.values()) {
    yield;
    if (entry.kind !== 'input') continue;
    for (const problem of yield* defaultProblems(entry)) entry.problems.push(problem);
  }
  yield* dropDependents(entries);
  yield* removeDropped(entries);
  for (const entry of all) {
    yield;
    if (entry.problems.length > 0) report(draft, entry, entries);
  }
  const objects = all.flatMap((entry) => (entry.kind === 'object' && entry.problems.length === 0 ? [entry] : []));
  return { ...lookupIn(entries, postgres, rows), objects };
}

/** The first type of each name. Names differ from those of built-in types and of tables. */
function* firstOfEachName(draft: Draft, all: readonly Entry[]): Steps<Map<string, Entry>> {
  const taken = takenNames(draft);
  const entries = new Map<string, Entry>();
  for (const entry of all) {
    yield;
    const { name } = entry.type;
    const first = entries.get(name);
    if (first !== undefined) {
      entry.problems.push(`the name is taken by the ${kindNames[first.kind]} at ${first.path}; choose another`);
      continue;
    }
    const owner = graphqlScalars.has(name)
      ? 'GraphQL itself'
      : entry.kind === 'scalar'
        ? taken.scalar(name)
        : taken.type(name);
    if (owner !== undefined) entry.problems.push(`the name is taken by ${owner}; choose another`);
    entries.set(name, entry);
  }
  return entries;
}

function enumProblems(written: EnumType): string[] {
  const problems: string[] = [];
  const values = new Map<string, number>();
  for (const { value } of written.values) values.set(value, (values.get(value) ?? 0) + 1);
  for (const [value, count] of values) {
    if (count > 1) problems.push(`value "${value}" is defined more than once`);
    if (['true', 'false', 'null'].includes(value)) problems.push(`"${value}" cannot be the value of an enum`);
  }
  return problems;
}

type Find = (name: string) => Named | InvalidType | undefined;

/** The errors for types of tables, which actions cannot use. */
function rowTypes(draft: Draft): ReadonlyMap<string, InvalidType> {
  const reasons = new Map<string, InvalidType>();
  for (const source of draft.sources.values()) {
    for (const table of source.tables.values()) {
      if (table.hidden) continue;
      const advice = `define an object type with the key of the table, and a relationship to "${table.name}" in it`;
      const reason = `"${typeName(table)}" is the type of the rows of a table, which a handler cannot return; ${advice}`;
      reasons.set(typeName(table), new InvalidType(reason));
    }
  }
  return reasons;
}

/** The resolved argument or field of an input object. */
export function inputFieldOf(written: InputValue, type: TypeRef<InputNamed>): InputField {
  const { name, default_value: defaultValue, deprecation_reason: deprecated } = written;
  return {
    name,
    type,
    description: descriptionOf(written),
    ...(defaultValue !== undefined && { defaultValue }),
    ...(deprecated && { deprecated }),
  };
}

function* defaultProblems({ type }: EntryOf<'input'>): Steps<readonly string[]> {
  const problems: string[] = [];
  for (const field of type.fields.values()) {
    yield;
    const problem = defaultProblem(field);
    if (problem !== undefined) problems.push(`field "${field.name}": ${problem}`);
  }
  return problems;
}

function* fillInput(entry: EntryOf<'input'>, find: Find): Steps<void> {
  for (const field of entry.written.fields) {
    yield;
    const type = read(field.type, find, asInput);
    if (entry.type.fields.has(field.name)) entry.problems.push(`field "${field.name}" is defined more than once`);
    else if (type instanceof InvalidType) entry.problems.push(`field "${field.name}": ${type.reason}`);
    else entry.type.fields.set(field.name, inputFieldOf(field, type));
  }
}

function* fillOutput(entry: EntryOf<'object' | 'interface'>, find: Find): Steps<void> {
  for (const field of entry.written.fields) {
    yield;
    const type = read(field.type, find, asOutput);
    if (entry.type.fields.has(field.name)) entry.problems.push(`field "${field.name}" is defined more than once`);
    else if (type instanceof InvalidType) entry.problems.push(`field "${field.name}": ${type.reason}`);
    else {
      const { name, deprecation_reason: deprecated } = field;
      entry.type.fields.set(name, { name, type, description: descriptionOf(field), ...(deprecated && { deprecated }) });
    }
  }
}

function asInput(named: Named): InputNamed | InvalidType {
  if (named.kind !== 'object' && named.kind !== 'abstract') return named;
  return new InvalidType(
    `"${named.name}" is ${named.kind === 'object' ? 'an object type of outputs' : `${named.form === 'union' ? 'a union' : 'an interface'} of outputs`}; use a scalar, an enum or an input object type`,
  );
}

function asOutput(named: Named): OutputNamed | InvalidType {
  if (named.kind !== 'input') return named;
  return new InvalidType(`"${named.name}" is an input object type; use a scalar, an enum or an object type`);
}

function read<Wanted>(
  expression: string,
  find: Find,
  accept: (named: Named) => Wanted | InvalidType,
): TypeRef<Wanted> | InvalidType {
  const type = parseTypeExpression(expression);
  if (type === undefined) {
    return new InvalidType(`"${expression}" is not a type expression; write it like Int, String! or [Item!]!`);
  }
  const name = namedIn(type);
  const found = graphqlScalars.get(name) ?? find(name);
  if (found === undefined) {
    return new InvalidType(`type "${name}" is not known; define it in the custom types, or use a scalar of PostgreSQL`);
  }
  const accepted = found instanceof InvalidType ? found : accept(found);
  if (accepted instanceof InvalidType) return accepted;
  return mapNamed<string, Wanted>(type, () => accepted) ?? new InvalidType(`"${expression}" cannot be used`);
}

/** Drops types with a field or member of a dropped type, until nothing changes. */
function* dropDependents(entries: ReadonlyMap<string, Entry>): Steps<void> {
  for (let changed = true; changed; ) {
    changed = false;
    for (const { problems, type } of entries.values()) {
      yield;
      if (problems.length > 0 || type.kind === 'scalar' || type.kind === 'enum') continue;
      const inner = type.kind === 'object' ? type.interfaces : type.kind === 'abstract' ? unionOf(type) : [];
      for (const named of inner) {
        const cause = droppedEntry(entries, named);
        if (cause === undefined) continue;
        problems.push(droppedBecause(cause));
        changed = true;
      }
      for (const field of type.fields.values()) {
        const cause = droppedEntry(entries, namedIn<InputNamed | OutputNamed>(field.type));
        if (cause === undefined) continue;
        problems.push(`field "${field.name}": ${droppedBecause(cause)}`);
        changed = true;
      }
    }
  }
}

/** The entry of a type if it was dropped. A built-in type may have the name of a dropped one. */
function droppedEntry(entries: ReadonlyMap<string, Entry>, named: InputNamed | OutputNamed): Entry | undefined {
  const entry = entries.get(named.name);
  return entry?.type === named && entry.problems.length > 0 ? entry : undefined;
}

function unionOf({ form, members }: OutputAbstract): readonly OutputObject[] {
  return form === 'union' ? members : [];
}

function droppedBecause(cause: Entry): string {
  return `type "${cause.type.name}" was dropped; fix it first (${cause.path})`;
}

function report(draft: Draft, entry: Entry, entries: ReadonlyMap<string, Entry>): void {
  const again = entries.get(entry.type.name) === entry ? '' : ` at ${entry.path}`;
  draft.report({
    type: 'custom_types',
    name: `${kindNames[entry.kind]} ${entry.type.name}${again}`,
    path: entry.path,
    code: 'invalid-configuration',
    reason: `${kindNames[entry.kind]} "${entry.type.name}": ${entry.problems.join('; ')}`,
    definition: entry.written,
  });
}

/** In arguments and outputs a scalar of PostgreSQL takes precedence over a custom scalar of the same name. */
function lookupIn(
  entries: ReadonlyMap<string, Entry>,
  postgres: ReadonlyMap<string, Named>,
  rows: ReadonlyMap<string, InvalidType>,
): Omit<TypeLookup, 'objects'> {
  const find: Find = (name) => {
    const entry = entries.get(name);
    if (entry !== undefined && entry.kind !== 'scalar') return entry.type;
    return postgres.get(name) ?? entry?.type ?? rows.get(name);
  };
  const valid = <Wanted>(accept: (named: Named) => Wanted | InvalidType) => {
    return (named: Named): Wanted | InvalidType => {
      const cause = droppedEntry(entries, named);
      return cause === undefined ? accept(named) : new InvalidType(droppedBecause(cause));
    };
  };
  return {
    input: (expression) => read(expression, find, valid(asInput)),
    output: (expression) =>
      read(
        expression,
        find,
        valid((named) => {
          if (named.kind !== 'enum') return asOutput(named);
          return new InvalidType(`"${named.name}" is an enum type; an output is an object type or a scalar`);
        }),
      ),
  };
}
