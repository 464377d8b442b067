/** The written custom types as types of actions. A bad type is dropped alone, and with it what cannot be without it. */
import type { CustomTypes, EnumType, InputObjectType, ObjectType, ScalarType } from '@joinery/metadata/actions';
import type {
  EnumRef,
  InputField,
  InputNamed,
  InputObject,
  OutputField,
  OutputNamed,
  OutputObject,
  ScalarRef,
  TypeRef,
} from './action-model.ts';
import type { Draft } from './draft.ts';
import { graphqlScalars, postgresScalars } from './postgres-scalars.ts';
import { takenNames } from './taken-names.ts';
import { mapNamed, namedIn, parseTypeExpression } from './type-expression.ts';

/** What the arguments and outputs of actions are looked up in: a type, or why there is none. */
export interface TypeLookup {
  input(expression: string): TypeRef<InputNamed> | Unusable;
  output(expression: string): TypeRef<OutputNamed> | Unusable;
  /** The sound object types. */
  readonly objects: readonly WrittenObject[];
}

/** An object type of outputs, and where it is written. */
export interface WrittenObject {
  readonly type: OutputObject;
  readonly written: ObjectType;
  readonly path: string;
}

/** Why a type expression cannot be used, and what to do. */
export class Unusable {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Objects are made empty first, so that they can refer to each other in circles. */
type InputShell = InputObject & { readonly fields: Map<string, InputField> };
type OutputShell = OutputObject & { readonly fields: Map<string, OutputField> };

type Entry = {
  readonly path: string;
  /** Why the type is dropped; empty while it is sound. */
  readonly problems: string[];
} & (
  | { readonly kind: 'scalar'; readonly type: ScalarRef; readonly written: ScalarType }
  | { readonly kind: 'enum'; readonly type: EnumRef; readonly written: EnumType }
  | { readonly kind: 'input'; readonly type: InputShell; readonly written: InputObjectType }
  | { readonly kind: 'object'; readonly type: OutputShell; readonly written: ObjectType }
);

type Named = Entry['type'];

const kindNames = {
  scalar: 'scalar',
  enum: 'enum type',
  input: 'input object type',
  object: 'object type',
} as const satisfies Record<Entry['kind'], string>;

/** The custom types of `draft`; what is wrong with them is reported there. */
export function resolveCustomTypes(draft: Draft): TypeLookup {
  const written = draft.input.metadata.custom_types;
  const all = written === undefined ? [] : declare(written);
  const entries = firstOfEachName(draft, all);
  const postgres = postgresScalars(draft);
  for (const entry of entries.values()) {
    if (entry.kind === 'enum') entry.problems.push(...enumProblems(entry.written));
    if (entry.kind === 'input') fillInput(entry, (name) => entries.get(name)?.type ?? postgres.get(name));
    if (entry.kind === 'object') fillOutput(entry, (name) => entries.get(name)?.type ?? postgres.get(name));
  }
  dropDependents(entries);
  for (const entry of all) {
    if (entry.problems.length > 0) report(draft, entry, entries);
  }
  const objects = all.flatMap((entry) => (entry.kind === 'object' && entry.problems.length === 0 ? [entry] : []));
  return { ...lookupIn(entries, postgres), objects };
}

function declare(written: CustomTypes): Entry[] {
  return [
    ...written.scalars.map((scalar, index): Entry => {
      const type: ScalarRef = { kind: 'scalar', name: scalar.name, origin: 'custom', description: text(scalar) };
      return { kind: 'scalar', type, written: scalar, path: `$.custom_types.scalars[${index}]`, problems: [] };
    }),
    ...written.enums.map((one, index): Entry => {
      const values = one.values.map((member) => ({
        value: member.value,
        description: text(member),
        deprecated: member.is_deprecated ?? false,
      }));
      const type: EnumRef = { kind: 'enum', name: one.name, description: text(one), values };
      return { kind: 'enum', type, written: one, path: `$.custom_types.enums[${index}]`, problems: [] };
    }),
    ...written.input_objects.map((input, index): Entry => {
      const type: InputShell = { kind: 'input', name: input.name, description: text(input), fields: new Map() };
      return { kind: 'input', type, written: input, path: `$.custom_types.input_objects[${index}]`, problems: [] };
    }),
    ...written.objects.map((object, index): Entry => {
      const type: OutputShell = {
        kind: 'object',
        name: object.name,
        description: text(object),
        fields: new Map(),
      };
      return { kind: 'object', type, written: object, path: `$.custom_types.objects[${index}]`, problems: [] };
    }),
  ];
}

function text(described: { readonly description?: string | null | undefined }): string | undefined {
  return described.description ?? undefined;
}

/** Names are unique over all kinds, GraphQL's own types and those of tables; the first of a name keeps it. */
function firstOfEachName(draft: Draft, all: readonly Entry[]): Map<string, Entry> {
  const taken = takenNames(draft);
  const entries = new Map<string, Entry>();
  for (const entry of all) {
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
  const values = written.values.map((member) => member.value as string);
  for (const value of new Set(values)) {
    if (values.indexOf(value) !== values.lastIndexOf(value)) problems.push(`value "${value}" is there more than once`);
    if (['true', 'false', 'null'].includes(value)) problems.push(`"${value}" cannot be the value of an enum`);
  }
  return problems;
}

type Find = (name: string) => Named | undefined;

function fillInput(entry: Entry & { readonly kind: 'input' }, find: Find): void {
  for (const field of entry.written.fields) {
    const type = read(field.type, find, asInput);
    if (entry.type.fields.has(field.name)) entry.problems.push(`field "${field.name}" is there more than once`);
    else if (type instanceof Unusable) entry.problems.push(`field "${field.name}": ${type.reason}`);
    else entry.type.fields.set(field.name, { name: field.name, type, description: text(field) });
  }
}

function fillOutput(entry: Entry & { readonly kind: 'object' }, find: Find): void {
  for (const field of entry.written.fields) {
    const type = read(field.type, find, asOutput);
    if (entry.type.fields.has(field.name)) entry.problems.push(`field "${field.name}" is there more than once`);
    else if (type instanceof Unusable) entry.problems.push(`field "${field.name}": ${type.reason}`);
    else entry.type.fields.set(field.name, { name: field.name, type, description: text(field) });
  }
}

function asInput(named: Named): InputNamed | Unusable {
  if (named.kind !== 'object') return named;
  return new Unusable(`"${named.name}" is an object type of outputs; use a scalar, an enum or an input object type`);
}

function asOutput(named: Named): OutputNamed | Unusable {
  if (named.kind !== 'input') return named;
  return new Unusable(`"${named.name}" is an input object type; use a scalar, an enum or an object type`);
}

function read<Wanted>(
  expression: string,
  find: Find,
  accept: (named: Named) => Wanted | Unusable,
): TypeRef<Wanted> | Unusable {
  const type = parseTypeExpression(expression);
  if (type === undefined) {
    return new Unusable(`"${expression}" is not a type expression; write it like Int, String! or [Item!]!`);
  }
  const name = namedIn(type);
  const found = graphqlScalars.get(name) ?? find(name);
  if (found === undefined) {
    return new Unusable(`type "${name}" is not known; define it in the custom types, or use a scalar of PostgreSQL`);
  }
  const accepted = accept(found);
  if (accepted instanceof Unusable) return accepted;
  return mapNamed<string, Wanted>(type, () => accepted) ?? new Unusable(`"${expression}" cannot be used`);
}

/** A type whose field has a dropped type goes as well, and says why; so on until nothing changes. */
function dropDependents(entries: ReadonlyMap<string, Entry>): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (const { problems, type } of entries.values()) {
      if (problems.length > 0 || (type.kind !== 'input' && type.kind !== 'object')) continue;
      for (const field of type.fields.values()) {
        const cause = entries.get(namedIn<InputNamed | OutputNamed>(field.type).name);
        if (cause === undefined || cause.problems.length === 0) continue;
        problems.push(`field "${field.name}": ${droppedBecause(cause)}`);
        changed = true;
      }
    }
  }
}

function droppedBecause(cause: Entry): string {
  return `type "${cause.type.name}" was dropped; mend it first (${cause.path})`;
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

/** For arguments and outputs a scalar of PostgreSQL goes before a custom scalar of the same name. */
function lookupIn(
  entries: ReadonlyMap<string, Entry>,
  postgres: ReadonlyMap<string, ScalarRef>,
): Omit<TypeLookup, 'objects'> {
  const find = (name: string): Named | undefined => {
    const entry = entries.get(name);
    return entry === undefined || entry.kind === 'scalar' ? (postgres.get(name) ?? entry?.type) : entry.type;
  };
  const sound = <Wanted>(accept: (named: Named) => Wanted | Unusable) => {
    return (named: Named): Wanted | Unusable => {
      const entry = entries.get(named.name);
      if (entry?.type === named && entry.problems.length > 0) return new Unusable(droppedBecause(entry));
      return accept(named);
    };
  };
  return {
    input: (expression) => read(expression, find, sound(asInput)),
    output: (expression) =>
      read(
        expression,
        find,
        sound((named) => {
          if (named.kind !== 'enum') return asOutput(named);
          return new Unusable(`"${named.name}" is an enum type; an output is an object type or a scalar`);
        }),
      ),
  };
}
