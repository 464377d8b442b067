import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import { catalogOf, resolveTables, tableIn } from '../../../test/support/model/catalog.ts';
import { selectAccess } from './access.ts';

const catalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text' }, key: ['id'] },
  entry: { columns: { text: 'text' } },
  'users address': { columns: { id: 'int4!' }, key: ['id'] },
});
const model = resolveTables([{ table: 'author' }, { table: 'entry' }, { table: 'users address' }], catalog);

test('admin sees every column and row, with every root field that the table can have', () => {
  const author = tableIn(model, 'author');
  const access = selectAccess(author, ADMIN_ROLE);
  expect(access?.columns).toEqual(new Set(author.columns.values()));
  expect(access).toMatchObject({ filter: { kind: 'and', of: [] }, limit: undefined, aggregations: true });
  expect([...(access?.queryRoots ?? [])]).toEqual(['select', 'select_by_pk', 'select_aggregate']);
  expect(selectAccess(author, ADMIN_ROLE)).toBe(access);
});

test('a table without a primary key has no select_by_pk', () => {
  expect([...(selectAccess(tableIn(model, 'entry'), ADMIN_ROLE)?.queryRoots ?? [])]).toEqual([
    'select',
    'select_aggregate',
  ]);
});

test('a role without a permission sees nothing, and no role sees a hidden table', () => {
  expect(selectAccess(tableIn(model, 'author'), RoleName.parse('user'))).toBeUndefined();
  expect(selectAccess(tableIn(model, 'users address'), ADMIN_ROLE)).toBeUndefined();
});
