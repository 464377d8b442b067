/** Who may read which columns and rows of a table. */
import { z } from 'zod';
import { ADMIN_ROLE, RoleName } from '../names.ts';
import { SelectPermission } from '../tables.ts';
import {
  changeFirst,
  changeTable,
  commentArgument,
  tableArguments,
  tableLabel,
  withComment,
  without,
} from './change.ts';
import { defineCommand } from './command.ts';
import { EditError } from './edit-error.ts';

const permissionArguments = { ...tableArguments, role: RoleName };

export const createSelectPermission = defineCommand({
  name: 'create_select_permission',
  arguments: z.strictObject({ ...permissionArguments, permission: SelectPermission, comment: commentArgument }),
  apply: ({ role, permission, comment, ...target }, metadata) =>
    changeTable(metadata, target, (entry) => {
      const defined = entry.select_permissions ?? [];
      // The admin has every permission from the start.
      if (role === ADMIN_ROLE || defined.some((one) => one.role === role)) {
        const message = `select permission already defined on table ${tableLabel(target.table)} with role "${role}"`;
        throw new EditError('already-exists', message);
      }
      return { ...entry, select_permissions: [...defined, { role, permission, ...withComment(comment) }] };
    }),
});

function notDefined(label: string, role: string): EditError {
  return new EditError('not-exists', `select permission on table ${label} for role "${role}" does not exist`, '$.role');
}

export const dropSelectPermission = defineCommand({
  name: 'drop_select_permission',
  arguments: z.strictObject(permissionArguments),
  apply: ({ role, ...target }, metadata) =>
    changeTable(metadata, target, (entry) => {
      const rest = without(entry.select_permissions, (one) => one.role === role);
      if (rest === undefined) throw notDefined(tableLabel(target.table), role);
      return { ...entry, select_permissions: rest };
    }),
});

export const setPermissionComment = defineCommand({
  name: 'set_permission_comment',
  arguments: z.strictObject({ ...permissionArguments, type: z.literal('select'), comment: commentArgument }),
  apply: ({ role, comment, source, table }, metadata) =>
    changeTable(metadata, { source, table }, (entry) => {
      const changed = changeFirst(
        entry.select_permissions,
        (one) => one.role === role,
        ({ permission }) => ({ role, permission, ...withComment(comment) }),
      );
      if (changed === undefined) throw notDefined(tableLabel(table), role);
      return { ...entry, select_permissions: changed };
    }),
});
