import { expect, test } from 'vitest';
import { inBatches } from '../../shared/sources/batches.ts';
import { listTables, readTableSearch, schemasOf, searchTables, summaryOf } from './table-list.ts';

const table = (name: string, schema = 'public') => ({ schema, name });
const found = [table('stock', 'depot'), table('order'), table('customer'), table('order_item')];
const listed = listTables(found, [{ table: table('order') }, { table: table('gone') }]);

test('lists tracked tables that the database does not have', () => {
  expect(listed.map((one) => [one.table.schema, one.table.name, one.state])).toEqual([
    ['public', 'customer', 'untracked'],
    ['public', 'gone', 'missing'],
    ['public', 'order', 'tracked'],
    ['public', 'order_item', 'untracked'],
    ['depot', 'stock', 'untracked'],
  ]);
  expect([...schemasOf(listed)]).toEqual([
    ['public', 4],
    ['depot', 1],
  ]);
});

test.each([
  ['', ['customer', 'gone', 'order', 'order_item', 'stock']],
  ['search=ORDER', ['order', 'order_item']],
  ['search=item order', ['order_item']],
  ['search=depot.', ['stock']],
  ['show=tracked', ['gone', 'order']],
  ['show=untracked&schema=public', ['customer', 'order_item']],
  ['show=nonsense&schema=depot', ['stock']],
])('the query string %j shows %j', (address, names) => {
  const search = readTableSearch(new URLSearchParams(address));
  expect(searchTables(listed, search).map((one) => one.table.name)).toEqual(names);
});

test('counts each role once', () => {
  expect(summaryOf(undefined)).toBe('');
  expect(
    summaryOf({
      table: table('order'),
      array_relationships: [{ name: 'items', using: { foreign_key_constraint_on: 'order_id' } }],
      select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
      insert_permissions: [{ role: 'user', permission: { columns: '*', check: {} } }],
    }),
  ).toBe('1 relationship, 1 role');
});

test('splits items into batches in order', () => {
  expect(inBatches([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(inBatches([], 2)).toEqual([]);
});

test('lists a tracked table that is in no schema with the reason', () => {
  const problems = new Map([[JSON.stringify(['public', 'order']), 'it has no name']]);
  const [order] = searchTables(
    listTables(found, [{ table: table('order') }], problems),
    readTableSearch(new URLSearchParams('search=order')),
  );
  expect(order).toMatchObject({ state: 'inconsistent', problem: 'it has no name' });
});
