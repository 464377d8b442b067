/** JSON schemas of the variables and responses of stored operations, in the dialect of OpenAPI 3.0 or that of JSON Schema. */
import {
  type GraphQLCompositeType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isTypeSubTypeOf,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { ValidDocument } from './documents.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const scalars: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  smallint: { type: 'integer' },
  bigint: { type: 'integer', format: 'int64' },
  Float: { type: 'number' },
  float8: { type: 'number', format: 'double' },
  real: { type: 'number', format: 'float' },
  numeric: { type: 'number' },
  Boolean: { type: 'boolean' },
  String: { type: 'string' },
  ID: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  date: { type: 'string', format: 'date' },
  timestamptz: { type: 'string', format: 'date-time' },
  json: {},
  jsonb: {},
  geometry: { type: 'object' },
  geography: { type: 'object' },
};

const stringified = new Set(['bigint', 'numeric', 'float8']);

export interface SchemaWriter {
  /** Returns the schema of the values of a variable of `type`. */
  input(type: GraphQLInputType): JsonSchema;
  /** Returns the schema of the `data` of an operation with the root type `type`. */
  response(type: GraphQLObjectType, selections: SelectionSetNode, document: ValidDocument): JsonSchema;
  /** The input objects that the schemas refer to, by name. */
  readonly components: ReadonlyMap<string, JsonSchema>;
}

export interface SchemaDialect {
  /** The beginning of a reference to a component. */
  readonly reference: string;
  /** Returns the schema of the values of `schema` and null. */
  orNull(schema: JsonSchema): JsonSchema;
  /** Input objects that are nested more deeply in a variable are objects of any members. */
  readonly maxDepth: number;
}

const openApi: SchemaDialect = { reference: '#/components/schemas/', orNull, maxDepth: Number.POSITIVE_INFINITY };

/** JSON Schema 2020-12. The input objects of a table's rows reach those of every related table, so their depth is limited. */
export const jsonSchemaDialect: SchemaDialect = {
  reference: '#/$defs/',
  orNull: (schema) => (Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }),
  maxDepth: 3,
};

/** With `stringifyNumerics`, exact numbers are strings in responses. */
export function createSchemaWriter(
  schema: GraphQLSchema,
  stringifyNumerics: boolean,
  dialect: SchemaDialect = openApi,
): SchemaWriter {
  const components = new Map<string, JsonSchema>();
  /** Input objects whose components are not written yet. */
  const pending: { readonly type: GraphQLInputObjectType; readonly depth: number }[] = [];

  function variable(type: GraphQLInputType): JsonSchema {
    const written = input(type, 0);
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) component(next.type, next.depth + 1);
    return written;
  }

  function input(type: GraphQLInputType, depth: number): JsonSchema {
    const nullable = getNullableType(type);
    const written = isListType(nullable)
      ? { type: 'array', items: input(nullable.ofType, depth) }
      : named(nullable as GraphQLNamedInputType, depth);
    return isNonNullType(type) ? written : dialect.orNull(written);
  }

  function named(type: GraphQLNamedInputType, depth: number): JsonSchema {
    if (!isInputObjectType(type)) return leaf(type, false);
    if (!components.has(type.name)) {
      if (depth > dialect.maxDepth) return { type: 'object', description: `The GraphQL input object ${type.name}.` };
      // Registered first, since input objects can contain each other.
      components.set(type.name, {});
      pending.push({ type, depth });
    }
    return { $ref: dialect.reference + type.name };
  }

  function component(type: GraphQLInputObjectType, depth: number): void {
    const fields = Object.values(type.getFields());
    const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    components.set(type.name, {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, input(field.type, depth)])),
      ...(required.length > 0 && { required: required.map(({ name }) => name) }),
      additionalProperties: false,
    });
  }

  function leaf(type: GraphQLNamedInputType | GraphQLOutputType, inResponse: boolean): JsonSchema {
    if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
    const name = String(type);
    if (inResponse && stringifyNumerics && stringified.has(name)) return { type: 'string', description: name };
    return scalars[name] ?? { type: 'string', description: name };
  }

  function output(
    type: GraphQLOutputType,
    selections: SelectionSetNode | undefined,
    document: ValidDocument,
  ): JsonSchema {
    const nullable = getNullableType(type);
    const written = isListType(nullable)
      ? { type: 'array', items: output(nullable.ofType, selections, document) }
      : selections === undefined
        ? leaf(nullable, true)
        : object(nullable as GraphQLCompositeType, selections, document);
    return isNonNullType(type) ? written : dialect.orNull(written);
  }

  function object(parent: GraphQLCompositeType, selections: SelectionSetNode, document: ValidDocument): JsonSchema {
    const properties = new Map<string, JsonSchema>();
    const required = new Set<string>();
    gather(parent, selections, true);
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.size > 0 && { required: [...required] }),
    };

    /** `sure` is true if the selection is part of every response. */
    function gather(type: GraphQLCompositeType, set: SelectionSetNode, sure: boolean): void {
      for (const selection of set.selections) {
        const certain = sure && !(selection.directives ?? []).some(({ name }) => /^(skip|include)$/.test(name.value));
        if (selection.kind === Kind.FIELD) {
          const key = selection.alias?.value ?? selection.name.value;
          const field = 'getFields' in type ? type.getFields()[selection.name.value] : undefined;
          const written = field ? output(field.type, selection.selectionSet, document) : { type: 'string' };
          properties.set(key, merged(properties.get(key), written));
          if (certain) required.add(key);
          continue;
        }
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : document.fragments.get(selection.name.value);
        if (fragment === undefined) continue;
        const condition = fragment.typeCondition;
        const on = condition === undefined ? type : schema.getType(condition.name.value);
        if (!isCompositeType(on)) continue;
        gather(on, fragment.selectionSet, certain && isTypeSubTypeOf(schema, type, on));
      }
    }
  }

  return {
    input: variable,
    response: (type, selections, document) => object(type, selections, document),
    components,
  };
}

/** Merges the schemas of two selections of the same field. */
function merged(one: JsonSchema | undefined, other: JsonSchema): JsonSchema {
  if (one === undefined || JSON.stringify(one) === JSON.stringify(other)) return other;
  return { allOf: [one, other] };
}

function orNull(schema: JsonSchema): JsonSchema {
  // Other members are ignored beside `$ref`. A schema without a type accepts null already.
  if ('$ref' in schema) return { allOf: [schema], nullable: true };
  if (!('type' in schema)) return schema;
  // `nullable` extends the type, and not the list of values.
  return { ...schema, ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }), nullable: true };
}
