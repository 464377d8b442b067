/** A type that two remote schemas share must be the same for a role in both: what it sees is one schema. */
import type { RoleName } from '@joinery/metadata/names';
import type { GraphQLNamedType } from 'graphql';
import type { Steps } from '../../base/steps.ts';
import type { Draft } from '../types/draft.ts';
import { offeredTypes, sameType } from './remote-schemas.ts';

interface Seen {
  readonly type: GraphQLNamedType;
  /** The remote schema it is from. */
  readonly owner: string;
}

/** Takes the later of two disagreeing permissions from the role: one type with the fields of both would show too much. */
export function* dropClashingViews(draft: Draft): Steps<void> {
  const seen = new Map<RoleName, Map<string, Seen>>();
  for (const [name, remote] of draft.remoteSchemas) {
    if (remote.permissions === undefined) continue;
    const views = new Map(remote.permissions);
    for (const [role, view] of remote.permissions) {
      yield;
      const types = seen.get(role) ?? new Map<string, Seen>();
      seen.set(role, types);
      const offered = [...offeredTypes(view).values()];
      const clash = offered.find((type) => {
        const other = types.get(type.name);
        return other !== undefined && !sameType(other.type, type);
      });
      if (clash === undefined) {
        for (const type of offered) types.set(type.name, { type, owner: name });
        continue;
      }
      views.delete(role);
      const owner = types.get(clash.name)?.owner ?? '';
      report(
        draft,
        name,
        role,
        `type "${clash.name}" is another one than role "${role}" sees of remote schema "${owner}"`,
      );
    }
    if (views.size < remote.permissions.size) draft.remoteSchemas.set(name, { ...remote, permissions: views });
  }
}

/** The permission of the role itself, or where it has inherited one, the role. */
function report(draft: Draft, name: string, role: RoleName, reason: string): void {
  const { remote_schemas: remotes = [], inherited_roles: heirs = [] } = draft.input.metadata;
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
  const heir = heirs.findIndex((one) => one.role_name === role);
  draft.report({
    type: 'inherited_role_permission',
    name: `${role}: permission on remote schema "${name}"`,
    path: `$.inherited_roles[${heir}].role_set`,
    code: 'remote-schema-conflicts',
    reason: `inherited role "${role}" has no permission on remote schema "${name}": of it ${advice}`,
    definition: heirs[heir],
  });
}
