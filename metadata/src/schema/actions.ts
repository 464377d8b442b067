/** Actions and their custom types as written. */
import { z } from 'zod';
import { isJsonObject } from '../json.ts';
import { ActionName, ColumnName, FieldName, QualifiedTable, RoleName, SourceName, TypeName } from '../names.ts';
import { Header, headerName } from './headers.ts';
import { ignored } from './members.ts';
import { JoinDefinition } from './relationships.ts';
import { RequestTransform, ResponseTransform } from './transforms.ts';
import { UrlTemplate } from './urls.ts';

const description = z.string().nullish();

/** Why a field, argument or value is deprecated, and what to use instead. */
const deprecationReason = z.string().min(1).nullish();

/** A GraphQL type expression such as `[Int!]!`; parsed by the model. */
export const TypeExpression = z.string().min(1);

/** Relationship to a table in the form of Hasura v2. */
export const TableActionRelationship = z.strictObject({
  name: FieldName,
  type: z.enum(['object', 'array']),
  source: SourceName.optional(),
  remote_table: QualifiedTable,
  /** Field of the output type to column of the table. */
  field_mapping: z
    .record(FieldName, ColumnName)
    .refine((mapping) => Object.keys(mapping).length > 0, { message: 'must map at least one field' }),
});

/** Relationship to any target that a relationship of a table may have. */
export const DefinedActionRelationship = z.strictObject({ name: FieldName, definition: JoinDefinition });
export const ActionRelationship = z.union([TableActionRelationship, DefinedActionRelationship]);
export type ActionRelationship = z.infer<typeof ActionRelationship>;

export const ScalarType = z.strictObject({ name: TypeName, description });
export const EnumType = z.strictObject({
  name: TypeName,
  description,
  values: z
    .array(
      z.strictObject({
        value: FieldName,
        description,
        is_deprecated: z.boolean().nullish(),
        deprecation_reason: deprecationReason,
      }),
    )
    .min(1),
});
/** An argument of an action, or a field of an input object. */
export const InputValue = z.strictObject({
  name: FieldName,
  type: TypeExpression,
  description,
  /** JSON; enum values are strings. Null is a value. */
  default_value: z.unknown().optional(),
  deprecation_reason: deprecationReason,
});
export type InputValue = z.infer<typeof InputValue>;

export const InputObjectType = z.strictObject({
  name: TypeName,
  description,
  fields: z.array(InputValue).min(1),
});
const fields = z
  .array(
    z.strictObject({
      name: FieldName,
      type: TypeExpression,
      description,
      /** Written by older tools; always empty. */
      arguments: z.array(z.never()).nullish(),
      deprecation_reason: deprecationReason,
    }),
  )
  .min(1);
/** An interface; the `__typename` of a result selects the object type. */
export const InterfaceType = z.strictObject({ name: TypeName, description, fields });
export const UnionType = z.strictObject({ name: TypeName, description, types: z.array(TypeName).min(1) });
export const ObjectType = z.strictObject({
  name: TypeName,
  description,
  fields,
  /** Names of interfaces. */
  implements: z.array(TypeName).nullish(),
  relationships: z.array(ActionRelationship).nullish(),
});
export type ScalarType = z.infer<typeof ScalarType>;
export type EnumType = z.infer<typeof EnumType>;
export type InputObjectType = z.infer<typeof InputObjectType>;
export type InterfaceType = z.infer<typeof InterfaceType>;
export type UnionType = z.infer<typeof UnionType>;
export type ObjectType = z.infer<typeof ObjectType>;

export const CustomTypes = z.strictObject({
  scalars: z
    .array(ScalarType)
    .nullish()
    .transform((list) => list ?? []),
  enums: z
    .array(EnumType)
    .nullish()
    .transform((list) => list ?? []),
  input_objects: z
    .array(InputObjectType)
    .nullish()
    .transform((list) => list ?? []),
  objects: z
    .array(ObjectType)
    .nullish()
    .transform((list) => list ?? []),
  interfaces: z.array(InterfaceType).nullish(),
  unions: z.array(UnionType).nullish(),
});
export type CustomTypes = z.infer<typeof CustomTypes>;

/** Retries of an asynchronous action. */
export const ActionRetries = z.strictObject({
  /** Calls after the first. */
  num_retries: z.int().min(0).max(1_000).default(0),
  retry_interval_seconds: z.int().min(0).max(2_147_483_647).default(10),
});

/** Cache of the results of a query action. */
export const ActionCache = z.strictObject({
  ttl_seconds: z.number().positive().max(31_536_000),
  /** The session variables in the cache key. Default: all. */
  session_variables: z.array(z.string().min(1)).optional(),
});
export type ActionCache = z.infer<typeof ActionCache>;

/** The definition of an action without the treatment of `kind`. */
export const ActionDefinitionMembers = z.strictObject({
  type: z.enum(['query', 'mutation']).default('mutation'),
  kind: z.enum(['synchronous', 'asynchronous']).default('synchronous'),
  arguments: z
    .array(InputValue)
    .nullish()
    .transform((list) => list ?? []),
  output_type: TypeExpression,
  handler: UrlTemplate.min(1),
  headers: z.array(Header).default([]),
  forward_client_headers: z.boolean().default(false),
  ignored_client_headers: z.array(z.string()).optional(),
  /** Seconds. */
  timeout: z.int().min(0).default(30),
  /** For asynchronous actions. */
  retry_conf: ActionRetries.nullish(),
  request_transform: RequestTransform.nullish(),
  response_transform: ResponseTransform.nullish(),
  /** Headers of the handler's response that are forwarded to the client. */
  forward_response_headers: z.array(headerName).optional(),
  /** Concurrent calls of the handler per process; further calls wait. */
  max_concurrent_calls: z.int().min(1).max(100_000).optional(),
  cache: ActionCache.optional(),
});

/** A query is always synchronous: its `kind` is ignored. An empty `kind`, which the CLI of Hasura v2 writes, is the default. */
export const ActionDefinition = z.preprocess(withoutIgnoredKind, ActionDefinitionMembers);
export type ActionDefinition = z.infer<typeof ActionDefinition>;

function withoutIgnoredKind(definition: z.input<typeof ActionDefinitionMembers>): unknown {
  const written: unknown = definition;
  if (!isJsonObject(written)) return written;
  const { kind, ...others } = written;
  const isIgnored = kind === '' || kind === null || written.type === 'query';
  return isIgnored ? others : written;
}

/** `definition` is from Hasura v1; Hasura v2 ignores it too. */
export const permissionDefinition = ignored('a permission of an action has no settings; remove it');

export const ActionPermission = z.strictObject({
  role: RoleName,
  comment: z.string().nullish(),
  definition: permissionDefinition,
});

export const Action = z.strictObject({
  name: ActionName,
  definition: ActionDefinition,
  comment: z.string().nullish(),
  permissions: z.array(ActionPermission).optional(),
});
export type Action = z.infer<typeof Action>;
