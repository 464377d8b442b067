/** Inherited roles: add and drop. */
import { z } from 'zod';
import { ADMIN_ROLE, RoleName } from '../names.ts';
import { InheritedRole } from '../schema/permissions.ts';
import { without } from './edit/change.ts';
import { defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';

/** Replaces the parents of an existing inherited role. */
export const addInheritedRole = defineCommand({
  name: 'add_inherited_role',
  arguments: InheritedRole,
  apply: (role, metadata) => {
    if (role.role_name === ADMIN_ROLE) {
      throw new EditError('already-exists', 'the role "admin" may do everything already', '$.role_name');
    }
    if (role.role_set.includes(role.role_name)) {
      throw new EditError('invalid-params', 'an inherited role name cannot be in the role combination', '$.role_set');
    }
    const others = without(metadata.inherited_roles, (one) => one.role_name === role.role_name);
    return { ...metadata, inherited_roles: [...(others ?? metadata.inherited_roles ?? []), role] };
  },
});

export const dropInheritedRole = defineCommand({
  name: 'drop_inherited_role',
  arguments: z.strictObject({ role_name: RoleName }),
  apply: ({ role_name }, metadata) => {
    const rest = without(metadata.inherited_roles, (one) => one.role_name === role_name);
    if (rest === undefined) {
      throw new EditError('not-exists', `inherited role "${role_name}" does not exist`, '$.role_name');
    }
    return { ...metadata, inherited_roles: rest };
  },
});
