/** `t_stream`: rows in batches, each starting after the last row of the previous one. */

import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { Column, Operand, SelectAccess, Table } from '../../model/types/table.ts';
import type { PlanContext, SelectedField } from '../context/context.ts';
import { type ArgumentValue, VariableReference } from '../document/arguments.ts';
import type { StreamPlan } from '../plan/query.ts';
import { planCount } from './rows.ts';
import { planFields } from './select.ts';
import { planWhere } from './where.ts';

export function planStream(context: PlanContext, field: SelectedField, table: Table, access: SelectAccess): StreamPlan {
  const given = context.arguments(field);
  const path = `${field.path}.args`;
  const { column, direction, initial } = planCursor(context, table, given.cursor, `${path}.cursor`);
  return {
    rows: {
      table,
      where: planWhere(context, table, access, given.where, `${path}.where`),
      // Nulls are never after a cursor. This order of nulls lets PostgreSQL use an index.
      orderBy: [{ by: { kind: 'column', column }, direction, nulls: direction === 'asc' ? 'last' : 'first' }],
      distinctOn: [],
      limit: planCount(context, given.batch_size, `${path}.batch_size`),
      rowLimit: access.limit,
      withTies: true,
      offset: undefined,
      fields: planFields(context, field, table),
    },
    column,
    direction,
    initial,
  };
}

function planCursor(
  context: PlanContext,
  table: Table,
  given: ArgumentValue,
  path: string,
): Pick<StreamPlan, 'column' | 'direction' | 'initial'> {
  const value = given instanceof VariableReference ? context.settle(given) : given;
  const items = Array.isArray(value) ? value : [value];
  const [cursor, second] = items;
  if (second !== undefined) throw invalid('multiple column cursors are not supported; give one cursor', path);
  if (!isJsonObject(cursor)) throw invalid('a stream needs one cursor { initial_value: { column: value } }', path);
  const members = isJsonObject(cursor.initial_value) ? Object.entries(cursor.initial_value) : [];
  const [member, other] = members;
  const below = `${path}[0].initial_value`;
  if (other !== undefined) throw invalid('multiple column cursors are not supported; give one column', below);
  const column = member && table.columns.get(member[0]);
  if (member === undefined || column === undefined) throw invalid('expected one cursor column', below);
  const initial = operandOf(column, member[1], `${below}.${member[0]}`);
  const ordering = context.settle(cursor.ordering);
  return { column, direction: ordering === 'DESC' ? 'desc' : 'asc', initial };
}

function operandOf(column: Column, value: ArgumentValue, path: string): Operand {
  if (value instanceof VariableReference) return { kind: 'variable', name: value.name };
  if (value === null || value === undefined) {
    throw invalid('a cursor cannot start at null; give the value after which the stream starts', path);
  }
  try {
    encode(column.type, value);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
  return { kind: 'constant', value };
}

function invalid(message: string, path: string): ServiceError {
  return new ServiceError('validation-failed', message, { path });
}
