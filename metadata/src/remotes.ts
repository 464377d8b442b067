/** Remote schemas and the relationships that lead to them, as written. */
import { z } from 'zod';
import { Header } from './headers.ts';
import { ColumnName, FieldName, QualifiedTable, RemoteSchemaName, SourceName } from './names.ts';

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

/** One step into a remote schema: exactly one field a level; strings that start with `$` name a column. */
export interface RemoteField {
  readonly [field: string]: {
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly field?: RemoteField | undefined;
  };
}
export const RemoteField: z.ZodType<RemoteField> = z.lazy(() =>
  z
    .record(z.string(), z.strictObject({ arguments: z.record(z.string(), z.unknown()), field: RemoteField.optional() }))
    .refine((level) => Object.keys(level).length === 1, { message: 'must name exactly one field a level' }),
);

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
      z.strictObject({
        to_remote_schema: z.strictObject({
          remote_schema: RemoteSchemaName,
          lhs_fields: z.array(ColumnName),
          remote_field: RemoteField,
        }),
      }),
      z.strictObject({
        to_source: z.strictObject({
          source: SourceName,
          table: QualifiedTable,
          relationship_type: z.enum(['object', 'array']),
          field_mapping: z.record(ColumnName, ColumnName),
        }),
      }),
      z.strictObject({
        hasura_fields: z.array(ColumnName),
        remote_schema: RemoteSchemaName,
        remote_field: RemoteField,
      }),
    ]),
  }),
]);
export type RemoteRelationship = z.infer<typeof RemoteRelationship>;
