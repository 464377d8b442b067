/** What inherited roles see of remote schemas: what their parents see, where the parents do not disagree. */
import type { RoleName } from '@joinery/metadata/names';
import type { GraphQLSchema } from 'graphql';
import type { Steps } from '../../base/steps.ts';
import type { Draft } from '../types/draft.ts';
import type { Heir } from './inherited-roles.ts';

/** Fills the permissions of remote schemas. `heirs` come after those whom they inherit from. */
export function* inheritRemoteSchemas(draft: Draft, heirs: readonly Heir[]): Steps<void> {
  for (const [name, remote] of draft.remoteSchemas) {
    if (remote.permissions === undefined) continue;
    const views = new Map<RoleName, GraphQLSchema>(remote.permissions);
    for (const heir of heirs) {
      yield;
      if (views.has(heir.role)) continue;
      const givers = heir.parents.filter((parent) => views.has(parent));
      const [first, second] = new Set(givers.map((parent) => views.get(parent)));
      if (first !== undefined && second === undefined) views.set(heir.role, first);
      if (second === undefined) continue;
      const entity = `permission on remote schema "${name}"`;
      const names = givers.map((role) => `"${role}"`).join(', ');
      draft.report({
        type: 'inherited_role_permission',
        name: `${heir.role}: ${entity}`,
        path: `${heir.path}.role_set`,
        code: 'invalid-configuration',
        reason: `inherited role "${heir.role}" has no ${entity}: the roles ${names} have different ones; define one for "${heir.role}" itself`,
        definition: heir.written,
      });
    }
    draft.remoteSchemas.set(name, { ...remote, permissions: views });
  }
}
