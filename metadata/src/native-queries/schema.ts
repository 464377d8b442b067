/** Native queries (SQL with arguments as root fields) and the logical models that declare their rows, as written. */
import { z } from 'zod';
import { ColumnName, FieldName, QualifiedTable, RoleName, TypeName } from '../names.ts';
import { closedObject, unsupported } from '../schema/members.ts';
import { BoolExp, foreignMembers, PermissionColumns } from '../schema/permissions.ts';

/** The type of a field: a scalar, or the rows of a relationship of the same name. */
export type FieldType =
  | string
  | { readonly scalar: string; readonly nullable?: boolean | null | undefined }
  | { readonly logical_model: string; readonly nullable?: boolean | null | undefined }
  | { readonly array: FieldType; readonly nullable?: boolean | null | undefined };

const nullable = z.boolean().nullish();
const scalarName = z.string().min(1);

export const FieldType: z.ZodType<FieldType, FieldType> = z.lazy(() =>
  z.union([
    scalarName,
    z.strictObject({ scalar: scalarName, nullable }),
    z.strictObject({ logical_model: TypeName, nullable }),
    z.strictObject({ array: FieldType, nullable }),
  ]),
);

export const LogicalModelField = closedObject({
  name: ColumnName,
  type: FieldType,
  /** Default: false. A type that is an object has a member of its own. */
  nullable,
  description: z.string().nullish(),
});
export type LogicalModelField = z.infer<typeof LogicalModelField>;

export const LogicalModelPermission = z.strictObject({
  columns: PermissionColumns,
  filter: BoolExp,
  limit: z.int().min(0).nullish(),
  allow_aggregations: unsupported('a native query has no aggregates'),
  query_root_fields: unsupported('a native query has one root field'),
  subscription_root_fields: unsupported('a native query has one root field'),
  ...foreignMembers('presets', 'computed_fields', 'set', 'backend_only', 'validate_input'),
});
export type LogicalModelPermission = z.infer<typeof LogicalModelPermission>;

export const LogicalModelPermissionEntry = z.strictObject({
  role: RoleName,
  permission: LogicalModelPermission,
  comment: z.string().nullish(),
});
export type LogicalModelPermissionEntry = z.infer<typeof LogicalModelPermissionEntry>;

export const LogicalModel = closedObject({
  name: TypeName,
  description: z.string().nullish(),
  fields: z.array(LogicalModelField),
  select_permissions: z.array(LogicalModelPermissionEntry).optional(),
});
export type LogicalModel = z.infer<typeof LogicalModel>;

const mapped = {
  /** Fields of the logical model to columns of the target. */
  column_mapping: z.record(ColumnName, ColumnName),
  insertion_order: z.null().optional(),
};

/** Relationship from the rows of a native query to rows of the same source. */
export const NativeQueryRelationship = z.strictObject({
  name: FieldName,
  using: z.union([
    z.strictObject({ ...mapped, remote_table: QualifiedTable }),
    z.strictObject({ ...mapped, remote_native_query: FieldName }),
  ]),
  comment: z.string().nullish(),
});
export type NativeQueryRelationship = z.infer<typeof NativeQueryRelationship>;

export const NativeQueryArgument = closedObject({
  type: scalarName,
  nullable,
  description: z.string().nullish(),
});
export type NativeQueryArgument = z.infer<typeof NativeQueryArgument>;

export const NativeQuery = closedObject({
  root_field_name: FieldName,
  /** SQL in which `{{name}}` is the value of an argument. */
  code: z.string().min(1),
  /** The name of a logical model. */
  returns: TypeName,
  arguments: z.record(FieldName, NativeQueryArgument).nullish(),
  description: z.string().nullish(),
  object_relationships: z.array(NativeQueryRelationship).optional(),
  array_relationships: z.array(NativeQueryRelationship).optional(),
});
export type NativeQuery = z.infer<typeof NativeQuery>;
