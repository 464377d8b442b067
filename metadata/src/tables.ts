/** Sources, tables, relationships and permissions as they are written. */
import { z } from 'zod';
import { ComputedField, FunctionEntry } from './functions.ts';
import { ColumnName, FieldName, QualifiedTable, RoleName, SourceName } from './names.ts';
import { RemoteRelationship } from './remotes.ts';
import {
  BoolExp,
  DeletePermissionEntry,
  InsertPermissionEntry,
  PermissionColumns,
  UpdatePermissionEntry,
} from './write-permissions.ts';

const columns = z.union([ColumnName.transform((one) => [one]), z.array(ColumnName).min(1)]);

/** `foreign_key_constraint_on` of an object relationship names columns here, of an array relationship columns there. */
export const RelationshipUsing = z.union([
  z.strictObject({
    foreign_key_constraint_on: z.union([
      columns,
      z.strictObject({ table: QualifiedTable, column: ColumnName }),
      z.strictObject({ table: QualifiedTable, columns }),
    ]),
  }),
  z.strictObject({
    manual_configuration: z.strictObject({
      remote_table: QualifiedTable,
      /** Column here to column there. */
      column_mapping: z.record(ColumnName, ColumnName),
      source: SourceName.optional(),
      insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
    }),
  }),
]);
export type RelationshipUsing = z.infer<typeof RelationshipUsing>;

export const Relationship = z.strictObject({
  name: FieldName,
  using: RelationshipUsing,
  comment: z.string().nullish(),
});
export type Relationship = z.infer<typeof Relationship>;

export const SelectPermission = z.strictObject({
  columns: PermissionColumns,
  filter: BoolExp.default({}),
  limit: z.int().min(0).nullish(),
  allow_aggregations: z.boolean().optional(),
  computed_fields: z.array(z.string()).optional(),
  query_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate'])).nullish(),
  subscription_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate', 'select_stream'])).nullish(),
});
export type SelectPermission = z.infer<typeof SelectPermission>;

export const SelectPermissionEntry = z.strictObject({
  role: RoleName,
  permission: SelectPermission,
  comment: z.string().nullish(),
});
export type SelectPermissionEntry = z.infer<typeof SelectPermissionEntry>;

const rootNames = [
  'select',
  'select_by_pk',
  'select_aggregate',
  'select_stream',
  'insert',
  'insert_one',
  'update',
  'update_by_pk',
  'update_many',
  'delete',
  'delete_by_pk',
] as const;
export type RootName = (typeof rootNames)[number];

const rootField = z.union([FieldName, z.strictObject({ name: FieldName.nullish(), comment: z.string().nullish() })]);

export const TableConfiguration = z.looseObject({
  custom_name: FieldName.nullish(),
  custom_root_fields: z.partialRecord(z.enum(rootNames), rootField.nullish()).optional(),
  /** The older spelling of `column_config.<column>.custom_name`. */
  custom_column_names: z.record(ColumnName, FieldName).optional(),
  column_config: z
    .record(ColumnName, z.looseObject({ custom_name: FieldName.nullish(), comment: z.string().nullish() }))
    .optional(),
  comment: z.string().nullish(),
});
export type TableConfiguration = z.infer<typeof TableConfiguration>;

/** Keys that this version does not read are kept as they are, so that nothing written is lost. */
export const TableEntry = z.looseObject({
  table: QualifiedTable,
  is_enum: z.boolean().optional(),
  configuration: TableConfiguration.optional(),
  object_relationships: z.array(Relationship).optional(),
  array_relationships: z.array(Relationship).optional(),
  computed_fields: z.array(ComputedField).optional(),
  remote_relationships: z.array(RemoteRelationship).optional(),
  insert_permissions: z.array(InsertPermissionEntry).optional(),
  select_permissions: z.array(SelectPermissionEntry).optional(),
  update_permissions: z.array(UpdatePermissionEntry).optional(),
  delete_permissions: z.array(DeletePermissionEntry).optional(),
});
export type TableEntry = z.infer<typeof TableEntry>;

export const Source = z.looseObject({
  name: SourceName,
  kind: z.enum(['postgres', 'pg', 'citus', 'cockroach']).default('postgres'),
  tables: z.array(TableEntry).default([]),
  functions: z.array(FunctionEntry).optional(),
  /** Connection settings; a missing one on `default` means the URL the service was started with. */
  configuration: z.looseObject({}).optional(),
});
export type Source = z.infer<typeof Source>;
