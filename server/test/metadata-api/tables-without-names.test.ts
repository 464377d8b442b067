/** Tables and columns whose names GraphQL does not permit: the metadata is accepted, and they are listed as inconsistent. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { startService } from '../support/service/test-service.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({
    migrated: true,
    sql: `
      create table author (id int primary key);
      create table "users address" (id int primary key, "first name" text);
      create view "open orders" as select * from author;
      create schema "my-shop";
      create table "my-shop".item (id int primary key);
      create function addresses() returns setof "users address" language sql stable as 'select * from "users address"';
    `,
  });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(() => node.run('clear_metadata'));

const listed = (name: string, suggested: string) => ({
  type: 'table',
  name: `table ${name} in source default`,
  path: '$.sources[0].tables[0]',
  reason: expect.stringMatching(
    new RegExp(`^Inconsistent object: table ".+": .+ is not a GraphQL name.+"${suggested}"`),
  ),
});

test.each([
  [{ schema: 'public', name: 'users address' }, 'users address', 'users_address'],
  [{ schema: 'public', name: 'open orders' }, 'open orders', 'open_orders'],
  [{ schema: 'my-shop', name: 'item' }, 'my-shop.item', 'my_shop_item'],
])(
  'pg_track_table of %j succeeds with a warning and lists the table as inconsistent',
  async (table, name, suggested) => {
    expect(await node.run('pg_track_table', { table })).toMatchObject({
      message: 'success',
      warnings: [{ type: 'table', code: 'invalid-configuration', message: expect.stringContaining(suggested) }],
    });
    expect(await node.run('get_inconsistent_metadata')).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [listed(name, suggested)],
    });
  },
);

test('a custom name makes the table consistent', async () => {
  await node.run('pg_track_table', { table: 'users address' });
  const configuration = { custom_name: 'users_address', column_config: { 'first name': { custom_name: 'first' } } };
  expect(await node.run('pg_set_table_customization', { table: 'users address', configuration })).toEqual({
    message: 'success',
  });
  expect(await node.run('get_inconsistent_metadata')).toMatchObject({ is_consistent: true, inconsistent_objects: [] });
});

test('a column whose name GraphQL does not permit is listed with a suggested name, and breaks nothing', async () => {
  const configuration = { custom_name: 'users_address' };
  expect(await node.run('pg_track_table', { table: 'users address', configuration })).toMatchObject({
    message: 'success',
    warnings: [{ type: 'unsupported', name: 'column first name of table users address in source default' }],
  });
  expect(await node.run('get_inconsistent_metadata')).toMatchObject({
    is_consistent: true,
    inconsistent_objects: [
      {
        type: 'unsupported',
        path: '$.sources[0].tables[0]',
        reason: expect.stringContaining('set a custom_name such as "first_name"'),
        definition: { table: { schema: 'public', name: 'users address' }, column: 'first name' },
      },
    ],
  });
  await node.run('drop_inconsistent_metadata');
  expect(await node.run('export_metadata')).toMatchObject({ sources: [{ tables: [{ configuration }] }] });
});

test('pg_track_tables tracks all tables and returns a warning for each one without a GraphQL name', async () => {
  const tables = ['author', 'users address', 'open orders'].map((table) => ({ table }));
  expect(await node.run('pg_track_tables', { tables })).toMatchObject({
    message: 'success',
    warnings: [{ name: 'table open orders in source default' }, { name: 'table users address in source default' }],
  });
});

test('replace_metadata accepts such a table, and drop_inconsistent_metadata keeps it', async () => {
  const table = { name: 'users address', schema: 'public' };
  const metadata = { version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [{ table }] }] };
  expect(await node.run('replace_metadata', { metadata })).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [listed('users address', 'users_address')],
  });
  await node.run('drop_inconsistent_metadata');
  expect(await node.run('export_metadata')).toMatchObject({ sources: [{ tables: [{ table }] }] });
});

test('row rules of other tables may refer to such a table', async () => {
  await node.run('pg_track_tables', { tables: [{ table: 'author' }, { table: 'users address' }] });
  const filter = { _exists: { _table: 'users address', _where: {} } };
  expect(
    await node.run('pg_create_select_permission', {
      table: 'author',
      role: 'user',
      permission: { columns: ['id'], filter },
    }),
  ).toEqual({ message: 'success' });
});

test('a function that returns rows of such a table is listed as inconsistent with the table', async () => {
  await node.run('pg_track_table', { table: 'users address' });
  expect(await node.run('pg_track_function', { function: 'addresses' })).toMatchObject({
    message: 'success',
    warnings: [{ type: 'function', message: expect.stringContaining('table "users address", whose rows it returns') }],
  });
});

test('a table that SQL renames to such a name is listed as inconsistent', async () => {
  await node.run('run_sql', { sql: 'create table plain (id int)' });
  await node.run('pg_track_table', { table: 'plain' });
  await node.run('run_sql', { sql: 'alter table plain rename to "plain table"' });
  expect(await node.run('get_inconsistent_metadata')).toMatchObject({
    inconsistent_objects: [listed('plain table', 'plain_table')],
  });
  await node.run('run_sql', { sql: 'drop table "plain table"' });
});

test('/v1/query tracks such a table with the response of Hasura v2', async () => {
  const service = await startService({}, { sql: 'create table "users address" (id int primary key)' });
  try {
    const response = await service.post('/v1/query', { type: 'track_table', args: { name: 'users address' } });
    expect([response.status, response.body]).toEqual([200, { message: 'success' }]);
  } finally {
    await service.stop();
  }
});
