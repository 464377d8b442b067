/** Permissions of tables: create, drop and comment. */
import { z } from 'zod';
import { ADMIN_ROLE, RoleName } from '../../names.ts';
import { DeletePermission, InsertPermission, SelectPermission, UpdatePermission } from '../../schema/permissions.ts';
import type { TableEntry } from '../../schema/tables.ts';
import {
  changeFirst,
  changeTable,
  commentArgument,
  tableArguments,
  tableLabel,
  withComment,
  without,
} from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

const kinds = ['insert', 'select', 'update', 'delete'] as const;
type PermissionKind = (typeof kinds)[number];

const permissionArguments = { ...tableArguments, role: RoleName };

interface Entry {
  readonly role: RoleName;
  readonly permission: unknown;
  readonly comment?: string | null | undefined;
}

function entriesOf(entry: TableEntry, kind: PermissionKind): readonly Entry[] | undefined {
  return entry[`${kind}_permissions`];
}

/** Sets the entries of one kind of permission, which were parsed for that kind. */
function withEntries(entry: TableEntry, kind: PermissionKind, entries: readonly Entry[]): TableEntry {
  return { ...entry, [`${kind}_permissions`]: entries };
}

function notDefined(kind: PermissionKind, label: string, role: string): EditError {
  const message = `${kind} permission on table ${label} for role "${role}" does not exist`;
  return new EditError('not-exists', message, '$.role');
}

function createPermission<Kind extends PermissionKind, Input>(kind: Kind, permission: z.ZodType<unknown, Input>) {
  return defineCommand({
    name: `create_${kind}_permission` as const,
    arguments: z.strictObject({ ...permissionArguments, permission, comment: commentArgument }),
    apply: ({ role, permission, comment, ...target }, metadata) =>
      changeTable(metadata, target, (entry) => {
        const defined = entriesOf(entry, kind) ?? [];
        // The admin always has every permission.
        if (role === ADMIN_ROLE || defined.some((one) => one.role === role)) {
          const label = tableLabel(target.table);
          const message = `${kind} permission already defined on table ${label} with role "${role}"`;
          throw new EditError('already-exists', message);
        }
        return withEntries(entry, kind, [...defined, { role, permission, ...withComment(comment) }]);
      }),
  });
}

function dropPermission<Kind extends PermissionKind>(kind: Kind) {
  return defineCommand({
    name: `drop_${kind}_permission` as const,
    arguments: z.strictObject(permissionArguments),
    apply: ({ role, ...target }, metadata) =>
      changeTable(metadata, target, (entry) => {
        const rest = without(entriesOf(entry, kind), (one) => one.role === role);
        if (rest === undefined) throw notDefined(kind, tableLabel(target.table), role);
        return withEntries(entry, kind, rest);
      }),
  });
}

const setPermissionComment = defineCommand({
  name: 'set_permission_comment',
  arguments: z
    .strictObject({
      ...permissionArguments,
      /** The kind. */
      permission: z.enum(kinds).optional(),
      /** Another name of `permission`, from the documentation of Hasura v2. */
      type: z.enum(kinds).optional(),
      comment: commentArgument,
    })
    .transform(({ permission, type = permission, ...others }, context) => {
      if (type !== undefined) return { ...others, type };
      context.issues.push({
        code: 'custom',
        path: ['permission'],
        message: 'missing argument "permission"',
        input: type,
      });
      return z.NEVER;
    }),
  apply: ({ role, type, comment, source, table }, metadata) =>
    changeTable(metadata, { source, table }, (entry) => {
      const changed = changeFirst(
        entriesOf(entry, type),
        (one) => one.role === role,
        ({ permission }) => ({ role, permission, ...withComment(comment) }),
      );
      if (changed === undefined) throw notDefined(type, tableLabel(table), role);
      return withEntries(entry, type, changed);
    }),
});

export const permissionCommands = [
  createPermission('insert', InsertPermission),
  createPermission('select', SelectPermission),
  createPermission('update', UpdatePermission),
  createPermission('delete', DeletePermission),
  dropPermission('insert'),
  dropPermission('select'),
  dropPermission('update'),
  dropPermission('delete'),
  setPermissionComment,
] as const;
