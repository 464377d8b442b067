/** Permissions of remote schemas: add and drop. */
import { z } from 'zod';
import { ADMIN_ROLE, RemoteSchemaName, RoleName } from '../../names.ts';
import { RemoteSchemaPermission } from '../../schema/remote-schemas.ts';
import { commentArgument, withComment, without } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { changeRemoteSchema } from './remote-schemas.ts';

const target = { remote_schema: RemoteSchemaName, role: RoleName };

export const addRemoteSchemaPermissions = defineCommand({
  name: 'add_remote_schema_permissions',
  arguments: z.strictObject({
    ...target,
    definition: RemoteSchemaPermission.shape.definition,
    comment: commentArgument,
  }),
  apply: ({ remote_schema, role, definition, comment }, metadata, context) =>
    changeRemoteSchema(metadata, remote_schema, '$.remote_schema', (remote) => {
      if (context?.remoteSchemaPermissions === false) {
        throw new EditError(
          'constraint-violation',
          'remote schema permissions can only be added when they are enabled',
        );
      }
      if (role === ADMIN_ROLE) {
        const message = `cannot define permission for role "${ADMIN_ROLE}", which sees all of every remote schema`;
        throw new EditError('constraint-violation', message, '$.role');
      }
      const permissions = remote.permissions ?? [];
      if (permissions.some((one) => one.role === role)) {
        const message = `permissions for role: ${role} for remote schema: ${remote_schema} already exists`;
        throw new EditError('already-exists', message, '$.remote_schema');
      }
      return { ...remote, permissions: [...permissions, { role, definition, ...withComment(comment) }] };
    }),
});

export const dropRemoteSchemaPermissions = defineCommand({
  name: 'drop_remote_schema_permissions',
  arguments: z.strictObject(target),
  apply: ({ remote_schema, role }, metadata) =>
    changeRemoteSchema(metadata, remote_schema, '$.remote_schema', (remote) => {
      const permissions = without(remote.permissions, (one) => one.role === role);
      if (permissions === undefined) {
        const message = `role: ${role} for remote schema: ${remote_schema} doesn't exist`;
        throw new EditError('not-exists', message, '$.role');
      }
      return { ...remote, permissions };
    }),
  dependents: () => 'reject',
});
