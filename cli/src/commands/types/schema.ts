/** Reads the GraphQL schema of a role from a service or a file, and compares two schemas. */
import { readFile } from 'node:fs/promises';
import {
  buildClientSchema,
  buildSchema,
  findBreakingChanges,
  type GraphQLField,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';

/** Throws CliError where the role has no schema or may not introspect it. */
export async function schemaOfRole(connection: Connection, role: string, prefix: string): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });
  const { body } = await connection.post('/v1/graphql', { query }, { headers: { [`${prefix}Role`]: role } });
  const { data, errors } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly data?: IntrospectionQuery | null;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (data === undefined || data === null) {
    const why = errors?.[0]?.message ?? 'the response has no schema';
    throw new CliError(`${connection.endpoint} returned no schema for the role "${role}": ${why}`);
  }
  return lexicographicSortSchema(buildClientSchema(data));
}

/** The placeholder field of a role without permissions, because a GraphQL schema needs a field. */
export function seesNothing(schema: GraphQLSchema): boolean {
  return Object.keys(schema.getQueryType()?.getFields() ?? {}).join() === 'no_queries_available';
}

/** Reads SDL or introspection JSON. Throws CliError. */
export async function schemaOfFile(path: string): Promise<GraphQLSchema> {
  try {
    const text = await readFile(path, 'utf8');
    if (!path.endsWith('.json')) return lexicographicSortSchema(buildSchema(text));
    const read = JSON.parse(text) as { readonly data?: IntrospectionQuery } & IntrospectionQuery;
    return lexicographicSortSchema(buildClientSchema(read.data ?? read));
  } catch (cause) {
    throw new CliError(`${path} is not a GraphQL schema: ${(cause as Error).message}`, { cause });
  }
}

/** Prints SDL in an order that does not depend on the metadata. */
export function sdlOf(schema: GraphQLSchema): string {
  return `${printSchema(schema).trimEnd()}\n`;
}

export interface SchemaDifference {
  readonly kind: 'added' | 'removed' | 'changed';
  /** `Type`, `Type.field`, `Type.field(argument:)` or an enum's `Type.VALUE`. */
  readonly at: string;
  readonly before?: string;
  readonly after?: string;
}

export interface SchemaComparison {
  readonly differences: readonly SchemaDifference[];
  /** Breaking changes, one sentence each. */
  readonly breaking: readonly string[];
}

export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): SchemaComparison {
  const [old, young] = [elementsOf(before), elementsOf(after)];
  const differences: SchemaDifference[] = [];
  const within = (at: string, gone: ReadonlySet<string>): boolean => [...gone].some((one) => at.startsWith(`${one}.`));
  // Members of an added or removed type are not listed.
  const typesGone = new Set([...old.keys()].filter((at) => !at.includes('.') && !young.has(at)));
  const typesNew = new Set([...young.keys()].filter((at) => !at.includes('.') && !old.has(at)));
  for (const [at, text] of old) {
    const now = young.get(at);
    if (now === undefined && !within(at, typesGone)) differences.push({ kind: 'removed', at, before: text });
    else if (now !== undefined && now !== text) differences.push({ kind: 'changed', at, before: text, after: now });
  }
  for (const [at, text] of young) {
    if (!old.has(at) && !within(at, typesNew)) differences.push({ kind: 'added', at, after: text });
  }
  differences.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return { differences, breaking: findBreakingChanges(before, after).map(({ description }) => description) };
}

/** Returns the definitions of a schema by their coordinates. */
function elementsOf(schema: GraphQLSchema): Map<string, string> {
  const found = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    if (isObjectType(type) || isInterfaceType(type)) {
      const implemented = type.getInterfaces().map(({ name }) => name);
      found.set(
        type.name,
        `${isObjectType(type) ? 'type' : 'interface'}${implemented.length > 0 ? ` implements ${implemented.join(' & ')}` : ''}`,
      );
      for (const field of Object.values(type.getFields())) addField(found, type.name, field);
    } else if (isInputObjectType(type)) {
      found.set(type.name, 'input');
      for (const field of Object.values(type.getFields())) found.set(`${type.name}.${field.name}`, `${field.type}`);
    } else if (isEnumType(type)) {
      found.set(type.name, 'enum');
      for (const { name } of type.getValues()) found.set(`${type.name}.${name}`, 'value');
    } else if (isUnionType(type)) {
      found.set(
        type.name,
        `union ${type
          .getTypes()
          .map(({ name }) => name)
          .join(' | ')}`,
      );
    } else {
      found.set(type.name, 'scalar');
    }
  }
  return found;
}

function addField(found: Map<string, string>, type: string, field: GraphQLField<unknown, unknown>): void {
  found.set(`${type}.${field.name}`, `${field.type}`);
  for (const argument of field.args) found.set(`${type}.${field.name}.(${argument.name}:)`, `${argument.type}`);
}
