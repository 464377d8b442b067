/** The roles that metadata name. Pure. */

/** In order of the alphabet, admin left out: those of permissions, wherever they stand, and inherited ones. */
export function rolesIn(metadata: unknown): readonly string[] {
  const found = new Set<string>();
  collect(metadata, found);
  found.delete('admin');
  return [...found].sort();
}

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const one of value) collect(one, found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (/_permissions$|^permissions$/.test(name) && Array.isArray(member)) {
      for (const one of member) if (typeof one?.role === 'string') found.add(one.role);
    } else if (name === 'inherited_roles' && Array.isArray(member)) {
      for (const { role_name: role, role_set: parents } of member) {
        for (const one of [role, ...(Array.isArray(parents) ? parents : [])])
          if (typeof one === 'string') found.add(one);
      }
    } else {
      collect(member, found);
    }
  }
}
