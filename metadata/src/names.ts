/** Branded types for names, so that a column name cannot be used as a field name or a role name. */
import { z } from 'zod';
import { GRAPHQL_NAME } from './graphql-names.ts';

const nonEmpty = z.string().min(1, 'must not be empty');

/** A GraphQL name; names that start with `__` are reserved for introspection. */
const graphqlName = z
  .string()
  .regex(GRAPHQL_NAME, 'must be a GraphQL name: letters, digits and underscores, not starting with a digit or "__"');

export const SourceName = nonEmpty.brand<'SourceName'>();
export type SourceName = z.infer<typeof SourceName>;

export const RoleName = nonEmpty.brand<'RoleName'>();
export type RoleName = z.infer<typeof RoleName>;

export const ColumnName = nonEmpty.brand<'ColumnName'>();
export type ColumnName = z.infer<typeof ColumnName>;

/** The GraphQL name of a field: a column's custom name, a relationship, or a field of a custom type. */
export const FieldName = graphqlName.brand<'FieldName'>();
export type FieldName = z.infer<typeof FieldName>;

export const TypeName = graphqlName.brand<'TypeName'>();
export type TypeName = z.infer<typeof TypeName>;

export const ActionName = graphqlName.brand<'ActionName'>();
export type ActionName = z.infer<typeof ActionName>;

export const RemoteSchemaName = nonEmpty.brand<'RemoteSchemaName'>();
export type RemoteSchemaName = z.infer<typeof RemoteSchemaName>;

/** A table name: `"author"` means `{ schema: "public", name: "author" }`. */
export const QualifiedTable = z.union([
  nonEmpty.transform((name) => ({ schema: 'public', name })),
  z.strictObject({ schema: nonEmpty.default('public'), name: nonEmpty }),
]);
export type QualifiedTable = z.infer<typeof QualifiedTable>;

export const ADMIN_ROLE = RoleName.parse('admin');
export const DEFAULT_SOURCE = SourceName.parse('default');
