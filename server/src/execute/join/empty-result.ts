import type { AggregatePart, JoinTarget } from '../../plan/plan/query.ts';

/** Returns the value of a join without a match: null, `[]` for a list, or the aggregate of no rows. */
export function emptyResult(target: JoinTarget): unknown {
  if (target.kind !== 'table') return null;
  const { want } = target;
  if (want.shape === 'aggregate') return membersOf(want.aggregate.parts, emptyPart);
  return want.shape === 'array' ? [] : null;
}

function emptyPart(part: AggregatePart): unknown {
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
  toValue: (member: Member) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(members.map((member) => [member.alias, toValue(member)]));
}
