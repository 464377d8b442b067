/** The GraphQL schema that a role sees, from a service or a file, and how two differ. */
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
import { ProjectError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';

/** Throws ProjectError where the role has no schema or may not introspect it. */
export async function schemaOfRole(connection: Connection, role: string, prefix: string): Promise<GraphQLSchema> {
  const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });
  const { body } = await connection.post('/v1/graphql', { query }, { headers: { [`${prefix}Role`]: role } });
  const { data, errors } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly data?: IntrospectionQuery | null;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (data === undefined || data === null) {
    const why = errors?.[0]?.message ?? 'it answers with no schema';
    throw new ProjectError(`${connection.endpoint} does not tell the schema of the role "${role}": ${why}`);
  }
  return lexicographicSortSchema(buildClientSchema(data));
}

/** GraphQL wants a field of every schema: the one that stands where a role may ask for nothing. */
export function seesNothing(schema: GraphQLSchema): boolean {
  return Object.keys(schema.getQueryType()?.getFields() ?? {}).join() === 'no_queries_available';
}

/** SDL, or an introspection as JSON. Throws ProjectError. */
export async function schemaOfFile(path: string): Promise<GraphQLSchema> {
  try {
    const text = await readFile(path, 'utf8');
    if (!path.endsWith('.json')) return lexicographicSortSchema(buildSchema(text));
    const read = JSON.parse(text) as { readonly data?: IntrospectionQuery } & IntrospectionQuery;
    return lexicographicSortSchema(buildClientSchema(read.data ?? read));
  } catch (cause) {
    throw new ProjectError(`${path} is no GraphQL schema: ${(cause as Error).message}`, { cause });
  }
}

/** In the same order whatever the order of the metadata. */
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
  /** What may make a request fail that worked before, one sentence each. */
  readonly breaking: readonly string[];
}

export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): SchemaComparison {
  const [old, young] = [elementsOf(before), elementsOf(after)];
  const differences: SchemaDifference[] = [];
  const within = (at: string, gone: ReadonlySet<string>): boolean => [...gone].some((one) => at.startsWith(`${one}.`));
  // Of a type that is new or gone the type alone is told.
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

/** What can be told apart, by its coordinate, with what it says. */
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
