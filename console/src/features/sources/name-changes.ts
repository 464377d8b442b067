/** Schema changes caused by other names, the most severe first. Pure. */
import type { RoleSchemaChanges, SchemaChange } from '@joinery/metadata/api/metadata';

const roots = /^(query|mutation|subscription)_root\./;
/** Matches a root field, not its arguments. */
const rootField = /^(query|mutation|subscription)_root\.\w+$/;

/** Root fields come first, because all requests use them. */
export function nameChanges(roles: readonly RoleSchemaChanges[]): readonly RoleSchemaChanges[] {
  return roles.map(({ role, changes }) => ({
    role,
    changes: changes.toSorted((one, other) => rank(one) - rank(other)),
  }));
}

function rank({ at, breaking }: SchemaChange): number {
  return (roots.test(at) ? 0 : 2) + (breaking ? 0 : 1);
}

/** Returns the added and removed root fields of all roles. */
export function changedRoots(roles: readonly RoleSchemaChanges[], change: 'added' | 'removed'): readonly string[] {
  const found = roles.flatMap(({ changes }) =>
    changes.filter((one) => one.change === change && rootField.test(one.at)).map(({ at }) => at.replace(roots, '')),
  );
  return [...new Set(found)].sort();
}
