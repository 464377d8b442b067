/** Roles in the metadata. Pure. */

/** Returns the roles, sorted, `admin` first. */
export function rolesIn(metadata: unknown): readonly string[] {
  const found = new Set<string>();
  gather(metadata, found);
  found.delete('admin');
  return ['admin', ...[...found].sort((one, other) => one.localeCompare(other))];
}

function gather(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const one of value) gather(one, found);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (/permissions$/.test(name) && Array.isArray(member)) {
      for (const permission of member as readonly { role?: unknown }[]) add(permission?.role, found);
    } else if (name === 'inherited_roles' && Array.isArray(member)) {
      for (const inherited of member as readonly { role_name?: unknown }[]) add(inherited?.role_name, found);
    } else gather(member, found);
  }
}

function add(role: unknown, found: Set<string>): void {
  if (typeof role === 'string') found.add(role);
}
