/**
 * JSON Schemas of the files of a project, by which editors complete and check them. They are generated from the types that
 * parse the metadata. Rules between members, and the names of tables and columns, are checked by the service only.
 */
import { z } from 'zod';
import { EventTrigger } from '../event-triggers/schema.ts';
import { ActionDefinitionMembers } from '../schema/actions.ts';
import { adviceOf, isClosed } from '../schema/members.ts';
import { sourceKinds } from '../schema/sources.ts';
import { type FileName, fileTypes } from './files.ts';
import { meaningOf } from './meanings.ts';

/** A JSON Schema of draft 7. */
export interface JsonSchema {
  $ref?: string;
  definitions?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  deprecated?: boolean;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  propertyNames?: JsonSchema;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  default?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  if?: JsonSchema;
  then?: JsonSchema;
  else?: JsonSchema;
}

/** `"!include file"`, or the name of a file after the tag `!include`. */
const INCLUDED = '^!include |\\.ya?ml$';

/** Types that files of their own describe. */
const ownFiles = new Map<unknown, FileName>(
  (['source', 'table', 'function', 'native_query', 'logical_model'] as const).map((name) => [
    fileTypes[name].type,
    name,
  ]),
);

/** Members of the whole metadata that a file describes. */
const membersOfMetadata: Readonly<Record<string, FileName>> = {
  sources: 'databases',
  remote_schemas: 'remote_schemas',
  inherited_roles: 'inherited_roles',
  query_collections: 'query_collections',
  allowlist: 'allow_list',
  rest_endpoints: 'rest_endpoints',
  api_limits: 'api_limits',
  graphql_schema_introspection: 'graphql_schema_introspection',
  cron_triggers: 'cron_triggers',
  opentelemetry: 'opentelemetry',
};

/** Returns the schemas by file name, such as `table.json`. They refer to each other by these names. */
export function jsonSchemas(): ReadonlyMap<string, JsonSchema> {
  const names = Object.keys(fileTypes) as FileName[];
  return new Map(names.map((name) => [`${name}.json`, jsonSchemaOf(name)]));
}

/** Returns the schema of a kind of file. */
export function jsonSchemaOf(name: FileName): JsonSchema {
  const { title, type } = fileTypes[name];
  const converted = z.toJSONSchema(type as z.ZodType, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => adapt(name, zodSchema as unknown as z.ZodType, jsonSchema as JsonSchema),
  }) as JsonSchema & { readonly $schema: string };
  const { $schema, ...schema } = completed(converted, [name]) as JsonSchema & { readonly $schema: string };
  if (name === 'metadata') {
    for (const [member, file] of Object.entries(membersOfMetadata)) {
      const { description } = schema.properties?.[member] ?? {};
      schema.properties = {
        ...schema.properties,
        [member]: { ...orNull({ $ref: `${file}.json` }), ...(description && { description }) },
      };
    }
  }
  const head = { $schema, title };
  if (name !== 'source') return { ...head, ...schema };
  const { definitions, ...source } = schema;
  return {
    ...head,
    ...(definitions && { definitions }),
    if: { properties: { kind: { enum: [...sourceKinds, null] } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: source,
    else: { type: ['object', 'string'], pattern: INCLUDED, required: ['name'] },
  };
}

/** Adapts what zod has converted. */
function adapt(file: FileName, type: z.ZodType, schema: JsonSchema): void {
  const own = ownFiles.get(type);
  if (own !== undefined && own !== file) {
    for (const keyword of Object.keys(schema)) delete schema[keyword as keyof JsonSchema];
    schema.$ref = `${own}.json`;
    return;
  }
  const advice = adviceOf(type);
  if (advice !== undefined) Object.assign(schema, { description: `No effect: ${advice}.`, deprecated: true });
  // The CLI of Hasura v2 writes an empty kind.
  if (type === ActionDefinitionMembers) schema.properties?.kind?.enum?.push('');
  if (isClosed(type)) schema.additionalProperties = false;
  // Written by exports of the service for stored triggers that it cannot read.
  if (type === EventTrigger) delete schema.properties?.unread;
  // JSON Schema has no flags of regular expressions.
  if (hasFlags(type)) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function hasFlags(type: z.ZodType): boolean {
  const patterns: unknown = (type as unknown as z.core.$ZodTypes)._zod.bag.patterns;
  return patterns instanceof Set && [...(patterns as ReadonlySet<RegExp>)].some(({ flags }) => flags !== '');
}

/** Returns the schema with descriptions, includes and null for optional members. `path`: the file and the members. */
function completed(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const inner = (one: JsonSchema): JsonSchema => completed(one, path);
  const { propertyNames, properties, ...rest } = schema;
  const result: JsonSchema = rest;
  const names = propertyNames?.enum?.map(String);
  const values = schema.additionalProperties;
  if (names !== undefined && typeof values === 'object') {
    const members = names.map((name) => member([...path, name], values, false));
    result.properties = Object.fromEntries(members);
    result.additionalProperties = false;
  } else {
    if (propertyNames !== undefined) result.propertyNames = propertyNames;
    if (typeof values === 'object') result.additionalProperties = inner(values);
  }
  if (properties !== undefined) {
    const required = new Set(schema.required);
    const members = Object.entries(properties);
    result.properties = Object.fromEntries(
      members.map(([name, one]) => member([...path, name], one, required.has(name))),
    );
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    const list = schema[keyword];
    if (list !== undefined) result[keyword] = list.map(inner);
  }
  if (schema.items !== undefined) result.items = inner(schema.items);
  if (schema.definitions !== undefined) {
    const used = usedDefinitions(schema);
    result.definitions = Object.fromEntries(used.map(([name, one]) => [name, inner(one)]));
    if (used.length === 0) delete result.definitions;
  }
  if (schema.type === 'object' || schema.type === 'array') {
    result.type = [schema.type, 'string'];
    result.pattern = INCLUDED;
  }
  return result;
}

/** Returns the definitions that the schema uses; types that are replaced leave others behind. */
function usedDefinitions({ definitions = {}, ...schema }: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  let texts = JSON.stringify(schema);
  const used = new Set<string>();
  for (;;) {
    const found = Object.keys(definitions).filter(
      (name) => !used.has(name) && texts.includes(`"#/definitions/${name}"`),
    );
    if (found.length === 0) return Object.entries(definitions).filter(([name]) => used.has(name));
    for (const name of found) {
      used.add(name);
      texts += JSON.stringify(definitions[name]);
    }
  }
}

/** Returns name and schema of a member. The service treats an optional member that is null as absent. */
function member(path: readonly string[], schema: JsonSchema, isRequired: boolean): [string, JsonSchema] {
  const { description = meaningOf(path), ...rest } = completed(schema, path);
  const described = description === undefined ? {} : { description };
  return [path.at(-1) ?? '', { ...described, ...(isRequired ? rest : orNull(rest)) }];
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf, enum: values, $ref } = schema;
  if ($ref !== undefined || 'const' in schema || schema.oneOf !== undefined) {
    const { default: fallback, ...one } = schema;
    return { anyOf: [one, { type: 'null' }], ...(fallback !== undefined && { default: fallback }) };
  }
  if (anyOf !== undefined) {
    return anyOf.some((one) => one.type === 'null') ? schema : { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  }
  if (type === undefined) return schema;
  const types = [type].flat();
  if (types.includes('null')) return schema;
  return { ...schema, type: [...types, 'null'], ...(values !== undefined && { enum: [...values, null] }) };
}
