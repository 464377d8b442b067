/** The root fields and types of a role's schema as text, for a search. Subscriptions are left out: tools cannot run them. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isEnumType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isUnionType,
  printType,
} from 'graphql';
import type { RoleSchema } from '../role-schema.ts';

export interface SchemaEntry {
  /** A schema coordinate: `query_root.author`, `author`. */
  readonly id: string;
  readonly kind: 'query' | 'mutation' | 'type' | 'enum';
  readonly name: string;
  /** A root field with its arguments and its type, or the definition of a type. */
  readonly definition: string;
  readonly description: string;
  /** The names of the members, and their descriptions. */
  readonly members: string;
}

/** Returns every root field of queries and mutations, object type, interface, union and enum. Input types are found by `typeDefinition`. */
export function schemaEntries({ schema }: RoleSchema): readonly SchemaEntry[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const;
  const rootTypes = new Set([...roots.map(([, type]) => type), schema.getSubscriptionType()]);
  const isRoot = (type: GraphQLNamedType): boolean => isObjectType(type) && rootTypes.has(type);
  const fields = roots.flatMap(([kind, type]) => (type ? rootEntries(kind, type) : []));
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isRoot(type) && isOutput(type),
  );
  return [...fields, ...types.map(typeEntry)];
}

/** Returns the SDL of the type; undefined if the schema does not have it. */
export function typeDefinition({ schema }: RoleSchema, name: string): string | undefined {
  const type = schema.getType(name);
  return type === undefined ? undefined : printType(type);
}

function isOutput(type: GraphQLNamedType): boolean {
  return isObjectType(type) || isInterfaceType(type) || isUnionType(type) || isEnumType(type);
}

function rootEntries(kind: 'query' | 'mutation', type: GraphQLObjectType): SchemaEntry[] {
  return Object.values(type.getFields()).map((field) => ({
    id: `${type.name}.${field.name}`,
    kind,
    name: field.name,
    definition: fieldDefinition(field),
    description: field.description ?? '',
    members: String(field.type),
  }));
}

function fieldDefinition({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.map((one) => `${one.name}: ${String(one.type)}`).join(', ');
  return `${name}${given === '' ? '' : `(${given})`}: ${String(type)}`;
}

function typeEntry(type: GraphQLNamedType): SchemaEntry {
  return {
    id: type.name,
    kind: isEnumType(type) ? 'enum' : 'type',
    name: type.name,
    definition: printType(type),
    description: type.description ?? '',
    members: membersOf(type).join(' '),
  };
}

function membersOf(type: GraphQLNamedType): readonly string[] {
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => `${name} ${description ?? ''}`);
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name);
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).map(({ name, description }) => `${name} ${description ?? ''}`);
}
