/** Permissions of roles on tables, and inherited roles, as written. */
import { z } from 'zod';
import { ColumnName, RoleName } from '../names.ts';
import { Header } from './headers.ts';
import { ignored } from './members.ts';
import { UrlTemplate } from './urls.ts';

/** A boolean expression as written. */
export const BoolExp = z.record(z.string(), z.unknown());
export type BoolExp = z.infer<typeof BoolExp>;

export const PermissionColumns = z.union([z.literal('*'), z.array(ColumnName)]);
export type PermissionColumns = z.infer<typeof PermissionColumns>;

/** Constants or names of session variables by column. */
const presets = z.record(z.string(), z.unknown()).nullish();

/** A webhook that validates the input of a mutation before it is written. */
export const ValidateInput = z.strictObject({
  type: z.literal('http').optional(),
  definition: z.strictObject({
    /** May contain `{{NAME}}` templates. */
    url: UrlTemplate.min(1),
    headers: z.array(Header).nullish(),
    forward_client_headers: z.boolean().nullish(),
    /** Seconds. Default 10. */
    timeout: z.int().min(1).max(1_800).nullish(),
  }),
});
export type ValidateInput = z.infer<typeof ValidateInput>;

const foreign = ignored('a permission of this kind has no such setting; remove it');

/**
 * Members of other kinds of permissions and of older consoles, which Hasura v2 ignores too. A misplaced `check` or
 * `filter` is rejected because it would suggest a restriction.
 */
export function foreignMembers<Name extends string>(...names: readonly Name[]) {
  const all = [...names, 'localPresets'] as const;
  return Object.fromEntries(all.map((name) => [name, foreign])) as Record<Name | 'localPresets', typeof foreign>;
}

const common = { backend_only: z.boolean().nullish(), validate_input: ValidateInput.nullish() };

const rootFields = ['query_root_fields', 'subscription_root_fields'] as const;

export const InsertPermission = z.strictObject({
  check: BoolExp,
  set: presets,
  /** Default: all columns. */
  columns: PermissionColumns.nullish(),
  ...common,
  allow_upsert: ignored('an insert may update rows that the update permission of the role allows'),
  ...foreignMembers('presets', 'computed_fields', 'limit', 'allow_aggregations', ...rootFields),
});
export type InsertPermission = z.infer<typeof InsertPermission>;

export const UpdatePermission = z.strictObject({
  columns: PermissionColumns,
  filter: BoolExp,
  check: BoolExp.nullish(),
  set: presets,
  ...common,
  ...foreignMembers('presets', 'computed_fields', 'limit', 'allow_aggregations', ...rootFields),
});
export type UpdatePermission = z.infer<typeof UpdatePermission>;

export const DeletePermission = z.strictObject({
  filter: BoolExp,
  ...common,
  ...foreignMembers('columns', 'set', 'presets', 'computed_fields', 'limit', 'allow_aggregations', ...rootFields),
});
export type DeletePermission = z.infer<typeof DeletePermission>;

/** Returns the schema of a role's permission. */
function entryOf<Permission extends z.ZodType>(permission: Permission) {
  return z.strictObject({ role: RoleName, permission, comment: z.string().nullish() });
}

export const InsertPermissionEntry = entryOf(InsertPermission);
export type InsertPermissionEntry = z.infer<typeof InsertPermissionEntry>;

export const UpdatePermissionEntry = entryOf(UpdatePermission);
export type UpdatePermissionEntry = z.infer<typeof UpdatePermissionEntry>;

export const DeletePermissionEntry = entryOf(DeletePermission);
export type DeletePermissionEntry = z.infer<typeof DeletePermissionEntry>;

export type WritePermissionEntry = InsertPermissionEntry | UpdatePermissionEntry | DeletePermissionEntry;

export const SelectPermission = z.strictObject({
  columns: PermissionColumns,
  filter: BoolExp,
  limit: z.int().min(0).nullish(),
  allow_aggregations: z.boolean().optional(),
  computed_fields: z.array(z.string()).optional(),
  query_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate'])).nullish(),
  subscription_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate', 'select_stream'])).nullish(),
  ...foreignMembers('backend_only', 'presets', 'set'),
});
export type SelectPermission = z.infer<typeof SelectPermission>;

export const SelectPermissionEntry = z.strictObject({
  role: RoleName,
  permission: SelectPermission,
  comment: z.string().nullish(),
});
export type SelectPermissionEntry = z.infer<typeof SelectPermissionEntry>;

export const InheritedRole = z.strictObject({
  role_name: RoleName,
  /** Parent roles, which may be inherited roles. */
  role_set: z.array(RoleName).min(1),
});
export type InheritedRole = z.infer<typeof InheritedRole>;
