/** What clients notice of other names, worst first. Pure. */
import type { RoleChanges, SchemaChange } from '../../api/metadata.ts';

const roots = /^(query|mutation|subscription)_root\./;
/** Not one of its arguments. */
const rootField = /^(query|mutation|subscription)_root\.\w+$/;

/** Root fields stand in every request, so that they are told first. */
export function nameChanges(roles: readonly RoleChanges[]): readonly RoleChanges[] {
  return roles.map(({ role, changes }) => ({
    role,
    changes: changes.toSorted((one, other) => rank(one) - rank(other)),
  }));
}

function rank({ at, breaking }: SchemaChange): number {
  return (roots.test(at) ? 0 : 2) + (breaking ? 0 : 1);
}

/** The root fields that come and go, for whichever role. */
export function changedRoots(roles: readonly RoleChanges[], change: 'added' | 'removed'): readonly string[] {
  const found = roles.flatMap(({ changes }) =>
    changes.filter((one) => one.change === change && rootField.test(one.at)).map(({ at }) => at.replace(roots, '')),
  );
  return [...new Set(found)].sort();
}
