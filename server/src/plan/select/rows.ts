/** The rows selected by the arguments of a field: where, order, distinct, limit and offset. */
import { ServiceError } from '../../base/errors.ts';
import type { SelectAccess, Table } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { type ArgumentValue, VariableReference } from '../document/arguments.ts';
import type { Count, RowsPlan } from '../plan/query.ts';
import { planDistinct, planOrder } from './order.ts';
import { planWhere } from './where.ts';

/** Plans the rows of `table` selected by the arguments of `field` and the row rule, without fields. */
export function planSelection(
  context: PlanContext,
  field: SelectedField,
  table: Table,
  access: SelectAccess,
): RowsPlan {
  const given = context.arguments(field);
  const path = `${field.path}.args`;
  const orderBy = planOrder(context, table, context.settle(given.order_by), `${path}.order_by`);
  return {
    table,
    where: planWhere(context, table, access, given.where, `${path}.where`),
    orderBy,
    distinctOn: planDistinct(context.count, table, context.settle(given.distinct_on), orderBy, path),
    limit: planCount(context, given.limit, `${path}.limit`),
    ...(access.cells && { cells: access.cells }),
    rowLimit: access.limit,
    offset: planCount(context, given.offset, `${path}.offset`),
    fields: [],
  };
}

/** Plans a limit, an offset or a batch size. */
export function planCount(context: PlanContext, value: ArgumentValue, path: string): Count | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof VariableReference) {
    if (context.isNegative(value)) throw negative(path);
    return { kind: 'variable', name: value.name };
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new ServiceError('validation-failed', 'expected a whole number', { path });
  }
  if (value < 0) throw negative(path);
  return { kind: 'constant', value };
}

function negative(path: string): ServiceError {
  return new ServiceError('validation-failed', 'unexpected negative value; give zero or a positive number', { path });
}
