import { expect, test } from 'vitest';
import { changeTableSql, dropTableSql, tableErrors } from './table-sql.ts';

const table = { schema: 'public', name: 'Old' };

test('a table is commented, renamed and moved, in this order', () => {
  expect(changeTableSql(table, 'table', null, { schema: 'my-shop', name: 'new "one"', comment: 'a\\b' })).toBe(
    `comment on table public."Old" is E'a\\\\b';
alter table public."Old" rename to "new ""one""";
alter table public."new ""one""" set schema "my-shop";`,
  );
  expect(changeTableSql(table, 'table', 'x', { ...table, comment: 'x' })).toBe('');
  expect(Object.keys(tableErrors({ schema: '', name: ' ', comment: '' }))).toEqual(['schema', 'name']);
});

test.each([
  ['view', 'drop view public."Old";'],
  ['materialized_view', 'drop materialized view public."Old";'],
  ['foreign_table', 'drop foreign table public."Old";'],
  ['partitioned_table', 'drop table public."Old";'],
] as const)('drops a %s', (kind, sql) => {
  expect(dropTableSql(table, kind, false)).toBe(sql);
});

test('drops a table with its dependents on request', () => {
  expect(dropTableSql(table, 'table', true)).toBe('drop table public."Old" cascade;');
});
