/** Permissions of actions: create and drop. */
import { z } from 'zod';
import { ActionName, RoleName } from '../../names.ts';
import { permissionDefinition } from '../../schema/actions.ts';
import { commentArgument, withComment, without } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { changeAction } from './actions.ts';

const target = { action: ActionName, role: RoleName };

export const createActionPermission = defineCommand({
  name: 'create_action_permission',
  arguments: z.strictObject({ ...target, comment: commentArgument, definition: permissionDefinition }),
  apply: ({ action, role, comment, definition }, metadata) =>
    changeAction(metadata, action, '$.action', (written) => {
      const permissions = written.permissions ?? [];
      if (permissions.some((one) => one.role === role)) {
        throw new EditError('already-exists', `permission for role "${role}" is already defined on "${action}"`);
      }
      return {
        ...written,
        // As in exports of Hasura v2, the newest is first.
        permissions: [
          { role, ...withComment(comment), ...(definition !== undefined && { definition }) },
          ...permissions,
        ],
      };
    }),
});

export const dropActionPermission = defineCommand({
  name: 'drop_action_permission',
  arguments: z.strictObject(target),
  apply: ({ action, role }, metadata) =>
    changeAction(metadata, action, '$.action', (written) => {
      const permissions = without(written.permissions, (one) => one.role === role);
      if (permissions === undefined) {
        throw new EditError('not-exists', `permission for role "${role}" is not defined on "${action}"`, '$.role');
      }
      return { ...written, permissions };
    }),
});
