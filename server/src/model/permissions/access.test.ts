import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import { catalogOf, resolveTables, tableIn, typeOf } from '../../../test/support/model/catalog.ts';
import type { Column, Table, TableFunction } from '../types/table.ts';
import { functionAccess, queryRoots, selectAccess, streamColumns, subscriptionRoots } from './access.ts';
import { deleteAccess, insertAccess, updateAccess } from './write-access.ts';

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

test('admin has the root fields of subscriptions', () => {
  // The access to another object is resolved anew.
  const access = selectAccess({ ...tableIn(model, 'author') }, ADMIN_ROLE);
  expect([...(access?.subscriptionRoots ?? [])]).toEqual([
    'select',
    'select_by_pk',
    'select_aggregate',
    'select_stream',
  ]);
});

test('admin has no computed field of a table without one', () => {
  const { computedFields: _none, ...table } = tableIn(model, 'author');
  expect(selectAccess(table, ADMIN_ROLE)?.computedFields).toEqual(new Set());
});

test('admin has no aggregates of a native query', () => {
  const native = { ...tableIn(model, 'author'), native: {} } as Table;
  expect(selectAccess(native, ADMIN_ROLE)?.aggregations).toBe(false);
});

test('select_by_pk needs every column of the key', () => {
  const { columns, ...author } = tableIn(model, 'author');
  const [id, name] = columns.values();
  if (id === undefined || name === undefined) throw new Error('the table has columns');
  const table: Table = { ...author, columns, primaryKey: [id, name] };
  expect([[id], [name], [id, name]].map((some) => queryRoots(table, new Set(some), false).has('select_by_pk'))).toEqual(
    [false, false, true],
  );
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

const user = RoleName.parse('user');
const writes = [insertAccess, updateAccess, deleteAccess];

test('admin writes every column that PostgreSQL does not always generate, and every row', () => {
  const author = tableIn(model, 'author');
  const { id, name } = Object.fromEntries(author.columns);
  const generated = { ...id, writable: 'no' } as Column;
  const table: Table = {
    ...author,
    columns: new Map([...author.columns].map(([key, one]) => [key, one === id ? generated : one])),
  };
  const shared = { columns: new Set([name]), presets: new Map(), backendOnly: false };
  const every = { kind: 'and', of: [] };
  expect(insertAccess(table, ADMIN_ROLE)).toEqual({ ...shared, check: every });
  expect(updateAccess(table, ADMIN_ROLE)).toEqual({ ...shared, filter: every, check: undefined });
  expect(deleteAccess(table, ADMIN_ROLE)).toEqual({ filter: every, backendOnly: false });
});

test('the access of admin to a table is one object', () => {
  const author = tableIn(model, 'author');
  const [first, second] = [1, 2].map(() => writes.map((access) => access(author, ADMIN_ROLE)));
  expect(second?.map((access, index) => access === first?.[index])).toEqual([true, true, true]);
});

test.each([ADMIN_ROLE, user])('%s writes no hidden table', (role) => {
  const hidden = tableIn(model, 'users address');
  expect(writes.map((access) => access(hidden, role))).toEqual([undefined, undefined, undefined]);
});

test('no role writes what PostgreSQL does not permit', () => {
  const view: Table = { ...tableIn(model, 'author'), insertable: false, updatable: false, deletable: false };
  expect(writes.map((access) => access(view, ADMIN_ROLE))).toEqual([undefined, undefined, undefined]);
});

test('each kind of write is permitted by itself', () => {
  const author = tableIn(model, 'author');
  const permits = (table: Table) => writes.map((access) => access(table, ADMIN_ROLE) !== undefined);
  expect(permits({ ...author, insertable: false })).toEqual([false, true, true]);
  expect(permits({ ...author, updatable: false })).toEqual([true, false, true]);
  expect(permits({ ...author, deletable: false })).toEqual([true, true, false]);
});

test('a role without a permission writes nothing', () => {
  expect(writes.map((access) => access(tableIn(model, 'author'), user))).toEqual([undefined, undefined, undefined]);
});

const added = ['interval', 'bytea', 'inet'].map((name, index) => typeOf(300 + index, name));
const ofTypes = catalogOf(
  {
    t: {
      columns: {
        ...{ b: 'bool', n: 'int4', t: 'text', d: 'timestamptz', i: 'interval', u: 'uuid', y: 'bytea' },
        ...{ a: 'int4[]', ip: 'inet', j: 'jsonb', p: 'point' },
      },
    },
  },
  added,
);

test('a stream follows a column whose values have an order', () => {
  const table = tableIn(resolveTables([{ table: 't' }], ofTypes), 't');
  const columns = streamColumns(new Set(table.columns.values()));
  expect(columns.map(({ name }) => name).sort()).toEqual('a b d i ip j n t u y'.split(' '));
});

test('a stream follows no column whose cells are hidden in some rows', () => {
  const table = tableIn(resolveTables([{ table: 't' }], ofTypes), 't');
  const [first, ...others] = streamColumns(new Set(table.columns.values()));
  if (first === undefined) throw new Error('the table has columns');
  const cells = new Map([[first, { kind: 'and', of: [] } as const]]);
  expect(streamColumns(new Set([first, ...others]), cells)).toEqual(others);
});

test('a table without an ordered column has no stream', () => {
  const table = tableIn(resolveTables([{ table: 't' }], ofTypes), 't');
  const point = [...table.columns.values()].filter(({ name }) => name === 'p');
  expect([...subscriptionRoots(table, new Set(point), false)]).toEqual(['select']);
});

test.each<readonly [string, Partial<TableFunction>, RoleName, boolean]>([
  ['admin', { inferred: false }, ADMIN_ROLE, true],
  ['a role that may select the rows, if that is enough', { inferred: true }, user, true],
  ['a role with a permission', { inferred: false, roles: new Set([user]) }, user, true],
  ['no other role', { inferred: false }, user, false],
])('a function may be called by %s', (_who, one, role, permitted) => {
  const author = tableIn(model, 'author');
  const access = selectAccess(author, ADMIN_ROLE);
  if (access === undefined) throw new Error('admin may select');
  const table: Table = { ...author, selectAccess: new Map([[user, access]]) };
  const called = { table, roles: new Set<RoleName>(), ...one } as TableFunction;
  expect(functionAccess(called, role) !== undefined).toBe(permitted);
});
