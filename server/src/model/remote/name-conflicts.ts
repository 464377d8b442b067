/** Rejects permissions by which a role would have different types of the same name from two remote schemas. */
import type { RoleName } from '@joinery/metadata/names';
import type { GraphQLNamedType } from 'graphql';
import type { Steps } from '../../base/steps.ts';
import type { Draft } from '../types/draft.ts';
import { offeredTypes } from './remote-schemas.ts';
import { sameType } from './same-type.ts';

interface Seen {
  readonly type: GraphQLNamedType;
  /** The name of its remote schema. */
  readonly owner: string;
}

/** Drops the later of two conflicting permissions. A type with the fields of both would permit too much. */
export function* dropConflictingViews(draft: Draft): Steps<void> {
  const seen = new Map<RoleName, Map<string, Seen>>();
  for (const [name, remote] of draft.remoteSchemas) {
    if (remote.permissions === undefined) continue;
    const views = new Map(remote.permissions);
    for (const [role, view] of remote.permissions) {
      yield;
      const types = seen.get(role) ?? new Map<string, Seen>();
      seen.set(role, types);
      const offered = [...offeredTypes(view).values()];
      const conflict = offered.find((type) => {
        const other = types.get(type.name);
        return other !== undefined && !sameType(other.type, type);
      });
      if (conflict === undefined) {
        for (const type of offered) types.set(type.name, { type, owner: name });
        continue;
      }
      views.delete(role);
      const owner = types.get(conflict.name)?.owner ?? '';
      report(
        draft,
        name,
        role,
        `type "${conflict.name}" differs from the one that role "${role}" sees of remote schema "${owner}"`,
      );
    }
    if (views.size < remote.permissions.size) draft.remoteSchemas.set(name, { ...remote, permissions: views });
  }
}

/** Reports the role's own permission, or the inherited role. */
function report(draft: Draft, name: string, role: RoleName, reason: string): void {
  const { remote_schemas: remotes = [], inherited_roles: inherited = [] } = draft.input.metadata;
  const index = remotes.findIndex((one) => one.name === name);
  const written = remotes[index]?.permissions?.findIndex((one) => one.role === role) ?? -1;
  const advice = `${reason}; give both the same fields, or rename the type by "customization"`;
  if (written >= 0) {
    draft.report({
      type: 'remote_schema_permission',
      name: `permission for role ${role} in remote schema ${name}`,
      path: `$.remote_schemas[${index}].permissions[${written}].definition.schema`,
      code: 'remote-schema-conflicts',
      reason: `of remote schema "${name}" ${advice}`,
      definition: remotes[index]?.permissions?.[written],
    });
    return;
  }
  const position = inherited.findIndex((one) => one.role_name === role);
  draft.report({
    type: 'inherited_role_permission',
    name: `${role}: permission on remote schema "${name}"`,
    path: `$.inherited_roles[${position}].role_set`,
    code: 'remote-schema-conflicts',
    reason: `inherited role "${role}" has no permission on remote schema "${name}": of it ${advice}`,
    definition: inherited[position],
  });
}
