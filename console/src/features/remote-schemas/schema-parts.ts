/** The types of a remote schema as SDL: search and comparison. Pure. */
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
  printType,
} from 'graphql';

export interface SchemaPart {
  readonly name: string;
  readonly sdl: string;
}

/** Returns types as SDL, the roots first and the others sorted. */
export function partsOf(schema: GraphQLSchema): readonly SchemaPart[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
    (root) => root !== undefined && root !== null,
  );
  const others = ownTypes(schema).filter((type) => !roots.some((root) => root === type));
  return [...roots, ...others].map((type) => ({ name: type.name, sdl: printType(type) }));
}

/** Returns the types without built-in ones. */
export function ownTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** Returns the parts that contain the text in any case. */
export function searchParts(parts: readonly SchemaPart[], text: string): readonly SchemaPart[] {
  const wanted = text.trim().toLowerCase();
  return wanted === '' ? parts : parts.filter(({ sdl }) => sdl.toLowerCase().includes(wanted));
}

/** Returns a line for each added, removed or changed type or field. */
export function changesBetween(before: GraphQLSchema, after: GraphQLSchema): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  return [
    ...[...old.keys()].filter((name) => !now.has(name)).map((name) => `${name} was removed`),
    ...[...now.keys()].filter((name) => !old.has(name)).map((name) => `${name} is new`),
    ...[...now].flatMap(([name, text]) => {
      const was = old.get(name);
      return was === undefined || was === text ? [] : [`${name} is ${text}, and was ${was}`];
    }),
  ];
}

/** Returns types and fields by coordinate, such as `Parcel` and `Parcel.code`. */
function linesOf(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const type of ownTypes(schema)) {
    members.set(type.name, kindOf(type));
    for (const field of membersOf(type)) {
      const given = 'args' in field ? field.args.map((one) => `${one.name}: ${one.type}`).join(', ') : '';
      members.set(`${type.name}.${field.name}`, `${given === '' ? '' : `(${given}) `}${field.type}`);
    }
    if ('getValues' in type) for (const { name } of type.getValues()) members.set(`${type.name}.${name}`, 'a value');
    if ('getTypes' in type) for (const { name } of type.getTypes()) members.set(`${type.name} | ${name}`, 'a member');
  }
  return members;
}

function kindOf(type: GraphQLNamedType): string {
  const [keyword = ''] = printType(type)
    .replace(/^"""[\s\S]*?"""\n/, '')
    .split(' ');
  return `of kind ${keyword}`;
}

/** Returns the fields of an object, interface or input type. */
export function membersOf(type: GraphQLNamedType): readonly (GraphQLField<unknown, unknown> | GraphQLInputField)[] {
  return 'getFields' in type ? Object.values<GraphQLField<unknown, unknown> | GraphQLInputField>(type.getFields()) : [];
}
