/** What a role may insert, update and delete in a table, as it is written. */
import { z } from 'zod';
import { Header } from './headers.ts';
import { ColumnName, RoleName } from './names.ts';

/** A boolean expression as written; `model/predicate.ts` gives it meaning. */
export const BoolExp = z.record(z.string(), z.unknown());
export type BoolExp = z.infer<typeof BoolExp>;

export const PermissionColumns = z.union([z.literal('*'), z.array(ColumnName)]);
export type PermissionColumns = z.infer<typeof PermissionColumns>;

/** By column: a constant, or the name of a session variable. */
const presets = z.record(z.string(), z.unknown()).nullish();

/** A webhook that looks at the input of a mutation before anything is written. */
export const ValidateInput = z.strictObject({
  type: z.literal('http').optional(),
  definition: z.strictObject({
    /** May contain `{{NAME}}` templates. */
    url: z.string().min(1),
    headers: z.array(Header).nullish(),
    forward_client_headers: z.boolean().nullish(),
    /** Seconds; 10 where none are given. */
    timeout: z.int().min(1).max(1_800).nullish(),
  }),
});
export type ValidateInput = z.infer<typeof ValidateInput>;

const common = { backend_only: z.boolean().nullish(), validate_input: ValidateInput.nullish() };

export const InsertPermission = z.strictObject({
  check: BoolExp,
  set: presets,
  /** All of them where none are named. */
  columns: PermissionColumns.nullish(),
  ...common,
  /** Of older metadata; the update permission says it now. */
  allow_upsert: z.boolean().nullish(),
});
export type InsertPermission = z.infer<typeof InsertPermission>;

export const UpdatePermission = z.strictObject({
  columns: PermissionColumns,
  filter: BoolExp,
  check: BoolExp.nullish(),
  set: presets,
  ...common,
});
export type UpdatePermission = z.infer<typeof UpdatePermission>;

export const DeletePermission = z.strictObject({ filter: BoolExp, ...common });
export type DeletePermission = z.infer<typeof DeletePermission>;

/** The permission of one role. */
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
