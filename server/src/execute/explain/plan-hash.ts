/** A hash of the statements of an operation, which does not depend on its values. */
import { createHash } from 'node:crypto';
import type { PreparedOperation } from '../../plan/operation.ts';
import { operationShape } from '../../plan/operation-shape.ts';
import type { OperationPlan } from '../../plan/plan/operation.ts';
import type { ExecuteContext } from '../context/context.ts';
import { withRowLimit } from '../context/row-limit.ts';
import { liveText } from '../live/live-target.ts';
import { groupRoots, type RootGroup } from '../query/root-groups.ts';
import { joinsFrom, rowsStatement } from '../query/rows.ts';

const known = new WeakMap<OperationPlan, string>();

/**
 * Returns sixteen hexadecimal digits: the hash of the SQL of a query or subscription that only uses databases, or else of
 * the operation without its values. `plan` is a plan of `prepared`.
 */
export function planHash(
  plan: OperationPlan,
  prepared: PreparedOperation,
  outer: Pick<ExecuteContext, 'settings'>,
): string {
  const before = known.get(plan);
  if (before !== undefined) return before;
  const hash = createHash('sha256');
  for (const text of statementsOf(plan, withRowLimit(plan, outer)) ?? [operationShape(prepared)])
    hash.update(`${text}\0`);
  const made = hash.digest('hex').slice(0, 16);
  known.set(plan, made);
  return made;
}

/** Returns sources and texts of the statements; undefined if the operation does not only use databases. */
function statementsOf(
  plan: OperationPlan,
  { settings }: Pick<ExecuteContext, 'settings'>,
): readonly string[] | undefined {
  if (plan.kind === 'subscription') return liveText(plan, settings);
  const groups = groupRoots(plan);
  if (groups.length === 0 || !groups.every(isDatabaseAlone)) return undefined;
  return groups.flatMap((group) => [group.source, rowsStatement(group, settings).text]);
}

function isDatabaseAlone(group: RootGroup): group is Extract<RootGroup, { kind: 'database' }> {
  return group.kind === 'database' && !joinsFrom(group);
}
