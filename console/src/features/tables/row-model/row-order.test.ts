import { expect, test } from 'vitest';
import { sampleColumn } from '../../../shared/sources/sample-column.ts';
import { orderOf, reversed, startAfter, whereAfter, writeOrder } from './row-order.ts';

const columns = [sampleColumn('id', 'int4', { nullable: false }), sampleColumn('a', 'int4')];

test('sorts rows by the clicked column, then by the primary key', () => {
  expect(writeOrder(orderOf({ by: 'a', direction: 'desc' }, ['id'], columns))).toEqual([
    { column: 'a', type: 'desc' },
    { column: 'id', type: 'desc' },
  ]);
  expect(writeOrder(orderOf({ by: 'id', direction: 'asc' }, ['id'], columns))).toEqual([{ column: 'id', type: 'asc' }]);
  expect(orderOf(undefined, null, columns)).toEqual([]);
});

interface Item {
  readonly id: number;
  readonly a: number | null;
}
const rows: readonly Item[] = [3, null, 1, null, 3, 2, 1].map((a, index) => ({ id: index + 1, a }));

/** As in PostgreSQL, null is the largest value. */
function compare(one: Item, other: Item): number {
  const value = ({ a }: Item) => a ?? Number.POSITIVE_INFINITY;
  if (value(one) !== value(other)) return value(one) < value(other) ? -1 : 1;
  return one.id - other.id;
}

type Test = Readonly<Record<string, unknown>>;

function holds(where: object, row: Item): boolean {
  return Object.entries(where).every(([name, test]) => {
    if (name === '$and') return (test as Test[]).every((one) => holds(one, row));
    if (name === '$or') return (test as Test[]).some((one) => holds(one, row));
    const value = row[name as keyof Item];
    return Object.entries(test as Test).every(([operator, right]) => {
      if (operator === '_is_null') return (value === null) === right;
      if (value === null) return false;
      const known = right as number;
      if (operator === '_eq') return value === known;
      if (operator === '_gt') return value > known;
      if (operator === '_gte') return value >= known;
      return operator === '_lt' ? value < known : value <= known;
    });
  });
}

test.each(['asc', 'desc'] as const)(
  'the page after each row, %s, has exactly the following rows, including nulls',
  (direction) => {
    const order = orderOf({ by: 'a', direction }, ['id'], columns);
    const sorted = [...rows].sort((one, other) => (direction === 'asc' ? compare(one, other) : compare(other, one)));
    for (const [index, row] of sorted.entries()) {
      const where = whereAfter(order, startAfter({ ...row }, order));
      const behind = sorted.filter((one) => holds(where, one));
      expect(behind).toEqual(sorted.slice(index + 1));
    }
  },
);

test('a key that is never null needs one comparison', () => {
  const order = orderOf(undefined, ['id'], columns);
  expect(whereAfter(order, [7])).toEqual({ id: { _gt: 7 } });
});

test('the rows before a row are those after it in the opposite order', () => {
  const order = orderOf({ by: 'a', direction: 'asc' }, ['id'], columns);
  const sorted = rows.toSorted(compare);
  sorted.forEach((row, place) => {
    const where = whereAfter(reversed(order), [row.a, row.id]);
    expect(sorted.filter((one) => holds(where, one))).toEqual(sorted.slice(0, place));
  });
});
