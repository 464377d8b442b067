/** Processes the response of a remote schema: maps type names, registers joins and removes their keys. */
import type { JoinPlan } from '../../plan/plan/query.ts';
import type { RemoteMember } from '../../plan/plan/remote.ts';
import type { OnJoin } from '../action/check-output.ts';

type Row = Record<string, unknown>;

/** Processes an object, nested lists of objects, or null, in place. */
export function applyMembers(members: readonly RemoteMember<JoinPlan>[], value: unknown, onJoin: OnJoin): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) applyMembers(members, item, onJoin);
    return;
  }
  const row = value as Row;
  for (const member of members) {
    // The object has another type than the fragment.
    if (!Object.hasOwn(row, member.alias)) continue;
    switch (member.kind) {
      case 'typename': {
        const name = row[member.alias];
        if (typeof name === 'string') row[member.alias] = member.names.get(name) ?? name;
        break;
      }
      case 'object':
        applyMembers(member.members, row[member.alias], onJoin);
        break;
      case 'join':
        // Another type can have a field or a join with the same response key.
        if (row[member.alias] !== member.type) break;
        onJoin(
          member.join,
          row,
          member.alias,
          member.join.keys.map(({ name }) => row[name]),
        );
        break;
      case 'phantom':
        break;
      default:
        member satisfies never;
    }
  }
  // Removed last, since a phantom can be the key of several joins.
  for (const { kind, alias } of members) if (kind === 'phantom') delete row[alias];
}
