/** Remote schemas and the relationships that lead to them, as written. */
import { z } from 'zod';
import { Header } from './headers.ts';
import { JoinDefinition, RemoteField } from './joins.ts';
import { ColumnName, FieldName, RemoteSchemaName } from './names.ts';

export const RemoteSchemaDefinition = z
  .looseObject({
    url: z.string().min(1).optional(),
    url_from_env: z.string().min(1).optional(),
    headers: z.array(Header).optional(),
    forward_client_headers: z.boolean().default(false),
    timeout_seconds: z.int().min(1).default(60),
  })
  .refine((definition) => (definition.url === undefined) !== (definition.url_from_env === undefined), {
    message: 'give either "url" or "url_from_env"',
  });
export type RemoteSchemaDefinition = z.infer<typeof RemoteSchemaDefinition>;

export const RemoteSchema = z.looseObject({
  name: RemoteSchemaName,
  definition: RemoteSchemaDefinition,
  comment: z.string().nullish(),
});
export type RemoteSchema = z.infer<typeof RemoteSchema>;

/** The written forms of a remote relationship. Exports keep the form that was used. */
export const RemoteRelationship = z.union([
  z.strictObject({
    name: FieldName,
    hasura_fields: z.array(ColumnName),
    remote_schema: RemoteSchemaName,
    remote_field: RemoteField,
  }),
  z.strictObject({
    name: FieldName,
    definition: z.union([
      ...JoinDefinition.options,
      z.strictObject({
        hasura_fields: z.array(ColumnName),
        remote_schema: RemoteSchemaName,
        remote_field: RemoteField,
      }),
    ]),
  }),
]);
export type RemoteRelationship = z.infer<typeof RemoteRelationship>;
