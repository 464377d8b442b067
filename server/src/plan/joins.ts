/** From a table's rows to another source or a remote schema. */
import type { SelectAccess, TableJoin } from '../model/table-model.ts';
import { planAggregate } from './aggregate.ts';
import type { PlanContext, SelectedField } from './context.ts';
import type { JoinPlan } from './plan.ts';
import { planRemoteJoin } from './remote.ts';
import { phantomName, planRows } from './select.ts';

/** The join of `field`, keyed by the phantoms of its key columns. `access` is the role's to the target table, if it is one. */
export function planTableJoin(
  context: PlanContext,
  field: SelectedField,
  join: TableJoin,
  access: SelectAccess | undefined,
): JoinPlan {
  const { target } = join;
  if (target.kind === 'remote') return planRemoteJoin(context, field, join);
  if (access === undefined) throw new TypeError(`the role may not select from ${target.table.name}`);
  const { table, match, shape } = target;
  const want =
    field.binding?.kind === 'tableJoinAggregate'
      ? { shape: 'aggregate' as const, aggregate: planAggregate(context, field, table, access) }
      : { shape, rows: planRows(context, field, table, access) };
  return {
    keys: join.keys.map((column) => ({ name: phantomName(column), type: column.type })),
    target: { kind: 'table', source: table.source, match, want },
  };
}
