/** Search over the types, fields, arguments and descriptions of a schema. Pure. */
import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';

/** A type, or one of its fields, enum values or arguments of a field. */
export interface DocPlace {
  readonly type: string;
  readonly member?: string | undefined;
  readonly argument?: string | undefined;
}

export interface DocEntry extends DocPlace {
  readonly kind: 'type' | 'field' | 'argument' | 'value';
  /** The last name of the place, in lower case. */
  readonly name: string;
  /** All names of the place, in lower case. */
  readonly path: string;
  readonly about: string;
  /** The description in lower case. */
  readonly text: string;
}

const indexes = new WeakMap<GraphQLSchema, readonly DocEntry[]>();

/** Returns the entries of a schema, which are created once. */
export function docIndex(schema: GraphQLSchema): readonly DocEntry[] {
  const known = indexes.get(schema);
  if (known !== undefined) return known;
  const created = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap(entriesOf);
  indexes.set(schema, created);
  return created;
}

function entriesOf(type: GraphQLNamedType): readonly DocEntry[] {
  return [entry('type', { type: type.name }, type.name, type.description), ...membersOf(type)];
}

function membersOf(type: GraphQLNamedType): readonly DocEntry[] {
  if (isEnumType(type)) {
    return type
      .getValues()
      .map(({ name, description }) => entry('value', { type: type.name, member: name }, name, description));
  }
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map(({ name, description }) =>
      entry('field', { type: type.name, member: name }, name, description),
    );
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    entry('field', { type: type.name, member: field.name }, field.name, field.description),
    ...field.args.map((argument: GraphQLArgument) =>
      entry(
        'argument',
        { type: type.name, member: field.name, argument: argument.name },
        argument.name,
        argument.description,
      ),
    ),
  ]);
}

function entry(kind: DocEntry['kind'], place: DocPlace, name: string, about: string | null | undefined): DocEntry {
  return {
    kind,
    ...place,
    name: name.toLowerCase(),
    path: placeText(place).toLowerCase(),
    about: about ?? '',
    text: (about ?? '').toLowerCase(),
  };
}

/** Formats `query_root.customer(where:)`. */
export function placeText({ type, member, argument }: DocPlace): string {
  const field = member === undefined ? type : `${type}.${member}`;
  return argument === undefined ? field : `${field}(${argument}:)`;
}

export interface Found {
  /** The best first. */
  readonly entries: readonly DocEntry[];
  /** Also of those that are left out. */
  readonly total: number;
}

/** Finds entries whose names or description contain all words. */
export function searchDocs(index: readonly DocEntry[], text: string, limit: number): Found {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const [first] = words;
  if (first === undefined) return { entries: [], total: 0 };
  const ranked: (DocEntry[] | undefined)[] = [];
  let total = 0;
  for (const one of index) {
    if (!words.every((word) => one.path.includes(word) || one.text.includes(word))) continue;
    total += 1;
    const rank = rankOf(one, first);
    const same = ranked[rank];
    if (same === undefined) ranked[rank] = [one];
    else if (same.length < limit) same.push(one);
  }
  const entries = ranked.flatMap((same) => (same ?? []).sort((one, other) => one.path.length - other.path.length));
  return { entries: entries.slice(0, limit), total };
}

/** Names before descriptions, types before fields, and fields before arguments. */
function rankOf({ kind, name, path, text }: DocEntry, word: string): number {
  const order = { type: 0, field: 1, value: 2, argument: 3 }[kind];
  if (name === word) return order;
  if (name.startsWith(word)) return 4 + order;
  if (name.includes(word)) return 8 + order;
  if (path.includes(word)) return 16 + order;
  return text.includes(word) ? 12 + order : 16 + order;
}
