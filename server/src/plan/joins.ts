/** From an object that is there to what is fetched for its keys: rows of any source, remote schemas, actions. */
import type { Column, Join, SelectAccess, Table } from '../model/types/table.ts';
import { inputPlan, outputPlan } from './call.ts';
import type { PlanContext, SelectedField } from './context/context.ts';
import type { JoinPlan, JoinTarget, OrderTerm, RowsPlan, RowsTarget } from './plan/query.ts';
import { planRemotePath } from './remote/remote.ts';
import { planAggregate } from './select/aggregate.ts';
import { keyedCall } from './select/function-call.ts';
import { planRows } from './select/select.ts';

type Want = RowsTarget['want'];

/**
 * The join of `field`. `nameOf` says where the parent object holds a key; `access` is the role's to the rows that the
 * join leads to, if it leads to rows.
 */
export function planJoin(
  context: PlanContext,
  field: SelectedField,
  join: Join,
  access: SelectAccess | undefined,
  nameOf: (key: Join['keys'][number]) => string,
): JoinPlan {
  const keys = join.keys.map((key) => ({ name: nameOf(key), type: key.type }));
  return { keys, target: targetOf(context, field, join, access) };
}

function targetOf(
  context: PlanContext,
  field: SelectedField,
  { keys, target }: Join,
  access: SelectAccess | undefined,
): JoinTarget {
  switch (target.kind) {
    case 'table': {
      const { table, match, shape } = target;
      const list = keys.findIndex((key) => key.list === true);
      const want = wantOf(context, field, table, access, shape);
      if (list < 0) return { kind: 'table', source: table.source, match, want };
      return { kind: 'table', source: table.source, match, list, want: inOrderOfKeys(want, match, list) };
    }
    case 'function': {
      const { function: called, passed, shape } = target;
      const { table, routine } = called;
      const from = keyedCall(context, field, routine, passed);
      const types = passed.flatMap((name) => routine.arguments.find((one) => one.field === name)?.type ?? []);
      const want = changeRows(wantOf(context, field, table, access, shape), (rows) => ({ ...rows, from }));
      return { kind: 'table', source: table.source, match: [], passed: types, want };
    }
    case 'remote': {
      const { remote, path } = target;
      return { kind: 'remote', remote, path, ...planRemotePath(context, field, remote, path) };
    }
    case 'action': {
      const { action, arguments: supplied, batch } = target;
      const given = Object.entries(context.arguments(field)).map(([name, value]) => ({
        name,
        value: inputPlan(value),
      }));
      return { kind: 'action', action, supplied, given, batch, output: outputPlan(context, field, action.output) };
    }
    default:
      return target satisfies never;
  }
}

function wantOf(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  access: SelectAccess | undefined,
  shape: 'object' | 'array',
): Want {
  if (access === undefined) throw new TypeError(`the role may not select from ${table.name}`);
  if (field.binding?.kind === 'joinAggregate') {
    return { shape: 'aggregate', aggregate: planAggregate(context, field, table, access) };
  }
  const rows = planRows(context, field, table, access);
  // A list of objects is not a list of rows: each has a key of its own, and the role's row limit is for lists.
  return { shape, rows: shape === 'object' ? { ...rows, rowLimit: undefined } : rows };
}

/** Behind whatever order was asked for. */
function inOrderOfKeys(want: Want, match: readonly Column[], list: number): Want {
  const column = match[list];
  if (column === undefined || want.shape === 'object') return want;
  const last: OrderTerm = { by: { kind: 'place', column, index: list }, direction: 'asc', nulls: 'last' };
  return changeRows(want, (rows) => ({ ...rows, orderBy: [...rows.orderBy, last] }));
}

function changeRows(want: Want, change: (rows: RowsPlan) => RowsPlan): Want {
  if (want.shape !== 'aggregate') return { ...want, rows: change(want.rows) };
  return { ...want, aggregate: { ...want.aggregate, rows: change(want.aggregate.rows) } };
}
