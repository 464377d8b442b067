/** Order of rows and keyset pagination. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import type { Sorting } from '../../../ui/table/sorting.ts';
import { isNull, type Row } from './row-values.ts';

export interface OrderKey {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  readonly nullable: boolean;
}

/** Returns a total order by the sorted column and the primary key. Undefined without a key. */
export function orderOf(
  sorting: Sorting | undefined,
  primaryKey: readonly string[] | null,
  columns: readonly ColumnInfo[],
): readonly OrderKey[] {
  const direction = sorting?.direction ?? 'asc';
  const named = [...(sorting === undefined ? [] : [sorting.by]), ...(primaryKey ?? [])];
  return [...new Set(named)].map((column) => ({
    column,
    direction,
    nullable: columns.find(({ name }) => name === column)?.nullable ?? true,
  }));
}

/** Returns the opposite order. */
export function reversed(order: readonly OrderKey[]): readonly OrderKey[] {
  return order.map((key) => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }));
}

export function writeOrder(order: readonly OrderKey[]): readonly object[] {
  return order.map(({ column, direction }) => ({ column, type: direction }));
}

/** Returns the cursor of a row. */
export function startAfter(row: Row, order: readonly OrderKey[]): readonly unknown[] {
  return order.map(({ column }) => row[column] ?? null);
}

/** Returns the condition for rows after a cursor. Nulls are last in ascending and first in descending order. */
export function whereAfter(order: readonly OrderKey[], values: readonly unknown[]): object {
  const [key, ...others] = order;
  const [value, ...rest] = values;
  if (key === undefined) return { $or: [] };
  const { column, direction, nullable } = key;
  const further = others.length === 0 ? [] : [whereAfter(others, rest)];
  const isNullTest = { [column]: { _is_null: true } };
  if (isNull(value)) {
    const equal = further.map((one) => ({ $and: [isNullTest, one] }));
    return either(direction === 'asc' ? equal : [{ [column]: { _is_null: false } }, ...equal]);
  }
  const [beyond, notBefore] = direction === 'asc' ? ['_gt', '_gte'] : ['_lt', '_lte'];
  const strictly = { [column]: { [beyond]: value } };
  const equal = further.map((one) => ({ $and: [{ [column]: { _eq: value } }, one] }));
  const nulls = nullable && direction === 'asc' ? [isNullTest] : [];
  if (equal.length === 0) return either([strictly, ...nulls]);
  // The first condition is redundant but can use an index.
  const valued = { $and: [{ [column]: { [notBefore]: value } }, { $or: [strictly, ...equal] }] };
  return either([valued, ...nulls]);
}

function either(tests: readonly object[]): object {
  const [only, another] = tests;
  return only !== undefined && another === undefined ? only : { $or: tests };
}
