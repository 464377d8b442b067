/** What a join gives where no row matches: known without asking. */
import type { AggregatePart, JoinTarget } from '../../plan/plan/query.ts';

/** Null for an object, a remote field and an action, `[]` for a list, the aggregate of no rows for an aggregate. */
export function noMatch(target: JoinTarget): unknown {
  if (target.kind !== 'table') return null;
  const { want } = target;
  if (want.shape === 'aggregate') return membersOf(want.aggregate.parts, partOfNothing);
  return want.shape === 'array' ? [] : null;
}

function partOfNothing(part: AggregatePart): unknown {
  switch (part.kind) {
    case 'constant':
      return part.value;
    case 'nodes':
      return [];
    case 'aggregate':
      return membersOf(part.members, (member) => {
        if (member.kind === 'constant') return member.value;
        if (member.kind === 'count') return 0;
        return membersOf(member.members, (one) => (one.kind === 'constant' ? one.value : null));
      });
    default:
      return part satisfies never;
  }
}

function membersOf<Member extends { readonly alias: string }>(
  members: readonly Member[],
  give: (member: Member) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map((member) => [member.alias, give(member)]));
}
