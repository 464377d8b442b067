/** `run_sql` and `bulk`: the effect of SQL on the metadata, and the transaction of a bulk. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

const tables = `
  create table author (id int primary key, name text);
  create table article (id int primary key, title text, author_id int references author);
`;

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(async () => {
  await sql(`drop schema public cascade; drop schema if exists shop cascade; create schema public; ${tables}`);
  await node.run('bulk', [{ type: 'clear_metadata' }, { type: 'reload_metadata' }]);
});

function table(name: string, schema = 'public') {
  return [...node.model().sources.values()][0]?.tables.get(relationKey(schema, name));
}

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await database.database.query({ text, values: [] })).rows;
}

const byColumn = (column: string) => ({ foreign_key_constraint_on: column });
const trackBoth = [
  { type: 'track_table', args: 'author' },
  { type: 'track_table', args: { name: 'article' } },
  {
    type: 'create_object_relationship',
    args: { table: 'article', name: 'author', using: byColumn('author_id') },
  },
];
const commandOk = { result_type: 'CommandOk', result: null };

describe('run_sql', () => {
  test('returns rows as strings with column names, and null for a command', async () => {
    expect(await node.run('run_sql', { sql: `select 1 as one, null as two, '{"a": 1}'::jsonb as three` })).toEqual({
      result_type: 'TuplesOk',
      result: [
        ['one', 'two', 'three'],
        ['1', 'NULL', '{"a": 1}'],
      ],
    });
    expect(await node.run('run_sql', { sql: 'create table a (); create table b ()' }, { api: 'query' })).toEqual(
      commandOk,
    );
    expect(await node.run('run_sql', { sql: 'select 1 where false' })).toEqual({
      result_type: 'TuplesOk',
      result: [['?column?']],
    });
  });

  test('rolls back on an error and reports the message of PostgreSQL', async () => {
    const rejection = await node.rejection('run_sql', { sql: 'create table a (); select nothing from author' });
    expect(rejection).toMatchObject({
      code: 'postgres-error',
      status: 400,
      path: '$.args',
      internal: { error: { status_code: '42703', position: 27 }, statement: expect.stringContaining('nothing') },
    });
    expect(rejection.message).toContain('column "nothing" does not exist');
    expect(await sql(`select to_regclass('a')`)).toEqual([[null]]);
  });

  test('returns only the result of the last of several statements', async () => {
    expect(await node.run('run_sql', { sql: 'create table a (id int); select 1 as one; select 2 as two;' })).toEqual({
      result_type: 'TuplesOk',
      result: [['two'], ['2']],
    });
    expect(await node.run('run_sql', { sql: 'select 1; insert into a values (1), (2)' })).toEqual(commandOk);
    expect(await node.run('run_sql', { sql: 'update a set id = 3 where id = 1 returning id' })).toEqual({
      result_type: 'TuplesOk',
      result: [['id'], ['3']],
    });
  });

  test('reports the position of an error in characters, not bytes', async () => {
    const text = `select 'ключ 😀';\n\nselect nothing\nfrom author`;
    const rejection = await node.rejection('run_sql', { sql: text });
    const { position } = (rejection.internal as { error: { position: number } }).error;
    expect([...text].slice(position - 1).join('')).toBe('nothing\nfrom author');
  });

  test('rejects writes with read_only', async () => {
    expect(await node.run('run_sql', { sql: 'select 1', read_only: true })).toMatchObject({ result_type: 'TuplesOk' });
    const rejection = await node.rejection('run_sql', { sql: 'create table a ()', read_only: true });
    expect(rejection).toMatchObject({ code: 'postgres-error', internal: { error: { status_code: '25006' } } });
  });

  test.each([
    ['insert into author values (1)', /read-only transaction/],
    ['select 1; set transaction read write; insert into author values (1)', /read-write mode inside a read-only/],
    [
      'release savepoint joinery_run_sql; insert into author values (1); savepoint joinery_run_sql',
      /no such savepoint|does not exist/,
    ],
    ['end; begin; savepoint joinery_run_sql', /ended the transaction that it runs in/],
  ])('rejects attempts to write with read_only: %s', async (text, message) => {
    expect((await node.rejection('run_sql', { sql: text, read_only: true })).message).toMatch(message);
    expect(await sql('select * from author')).toEqual([]);
  });

  test('with read_only does not restrict other commands of its bulk', async () => {
    await node.run('bulk', [
      { type: 'run_sql', args: { sql: 'select 1', read_only: true } },
      { type: 'run_sql', args: { sql: `insert into author values (1, 'A')` } },
    ]);
    expect(await sql('select id from author')).toEqual([['1']]);
  });

  test('discards settings, for later requests and for other commands of its bulk', async () => {
    // Roles belong to the server, which other tests use as well.
    const role = `limited_${process.pid}`;
    await sql(`create role ${role}`);
    await node.run('bulk', [
      { type: 'run_sql', args: { sql: `set search_path = ''; create table public.created (id int primary key)` } },
      {
        type: 'run_sql',
        args: { sql: `alter table created add name text; set role ${role}; set statement_timeout = 1` },
      },
      { type: 'track_table', args: 'created' },
    ]);
    expect(table('created')?.columns.size).toBe(2);
    await node.run('run_sql', { sql: 'select * from created' });
    await sql(`drop role ${role}`);
  });

  test('rejects SQL that ends its transaction', async () => {
    const rejection = await node.rejection('run_sql', { sql: 'commit; select 1' });
    expect(rejection).toMatchObject({ code: 'postgres-error', path: '$.args.sql' });
  });

  test.each([
    ['no SQL', {}, '$.args.sql'],
    ['a source that does not exist', { sql: 'select 1', source: 'b' }, '$.args.source'],
    ['an unknown argument', { sql: 'select 1', casacde: true }, '$.args.casacde'],
  ])('rejects %s', async (_reason, args, path) => {
    expect(await node.rejection('run_sql', args)).toMatchObject({ path });
  });

  test('adds new columns of a tracked table and new comments to the model', async () => {
    await node.run('track_table', 'author');
    await node.run('run_sql', { sql: `alter table author add born date; comment on table author is 'writers'` });
    expect(table('author')?.columns.has('born')).toBe(true);
    expect(table('author')?.comment).toBe('writers');
  });

  test('untracks a table that it drops, with its permissions', async () => {
    await node.run('bulk', [
      { type: 'run_sql', args: { sql: 'create table lone ()' } },
      { type: 'track_table', args: 'lone' },
      {
        type: 'create_select_permission',
        args: { table: 'lone', role: 'user', permission: { columns: '*', filter: {} } },
      },
    ]);
    expect(await node.run('run_sql', { sql: 'drop table lone' })).toEqual(commandOk);
    expect(await node.run('export_metadata')).toMatchObject({ sources: [{ tables: [] }] });
  });

  test('is rejected and rolled back if other objects depend on a dropped table', async () => {
    await node.run('bulk', trackBoth);
    const rejection = await node.rejection('run_sql', { sql: 'drop table author cascade' });
    expect(rejection).toMatchObject({ code: 'dependency-error', path: '$.args' });
    expect(rejection.message).toContain('relationship article.author in source "default"');
    expect(await sql(`select to_regclass('author')`)).toEqual([['author']]);
    expect(table('article')?.relationships.size).toBe(1);
  });

  test('drops the objects that depend on a dropped table with cascade', async () => {
    await node.run('bulk', trackBoth);
    await node.run('run_sql', { sql: 'drop table author cascade', cascade: true });
    expect(await node.run('export_metadata')).toMatchObject({
      sources: [{ tables: [{ table: { name: 'article', schema: 'public' } }] }],
    });
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('removes the custom name of a column that it drops', async () => {
    const configuration = { column_config: { name: { custom_name: 'fullName' } } };
    await node.run('track_table', { table: 'author', configuration });
    await node.run('run_sql', { sql: 'alter table author drop column name' });
    expect(await node.run('export_metadata')).toMatchObject({
      sources: [{ tables: [{ table: { name: 'author', schema: 'public' } }] }],
    });
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('is rejected if it drops a column that a permission names', async () => {
    await node.run('track_table', 'author');
    const permission = { columns: ['id', 'name'], filter: {} };
    await node.run('create_select_permission', { table: 'author', role: 'user', permission });
    const dropColumn = 'alter table author drop column name';
    expect(await node.rejection('run_sql', { sql: dropColumn })).toMatchObject({ code: 'dependency-error' });
    await node.run('run_sql', { sql: dropColumn, cascade: true });
    expect(table('author')?.selectAccess.size).toBe(0);
  });

  test('keeps the metadata of a table that it renames or moves', async () => {
    await node.run('bulk', trackBoth);
    await node.run('run_sql', { sql: 'alter table author rename to writer' });
    expect(table('article')?.relationships.get('author')?.target).toBe(table('writer'));
    await node.run('run_sql', { sql: 'create schema shop; alter table article set schema shop' });
    expect(table('article', 'shop')?.relationships.get('author')?.target).toBe(table('writer'));
    expect(node.model().inconsistencies).toEqual([]);
  });

  test('checks the metadata with check_metadata_consistency, for any SQL', async () => {
    await node.run('track_table', 'author');
    await sql(`create function grow() returns void language sql as 'alter table author add grown int'`);
    await node.run('run_sql', { sql: 'select grow()', check_metadata_consistency: true });
    expect(table('author')?.columns.has('grown')).toBe(true);
  });

  test('does not change the resource version if the metadata does not change', async () => {
    const { resource_version } = (await node.run('export_metadata', {}, { version: 2 })) as {
      resource_version: number;
    };
    const model = node.model();
    await node.run('run_sql', { sql: `insert into author values (1, 'A')` });
    expect(node.model()).toBe(model);
    await node.run('run_sql', { sql: 'create table another ()' });
    expect(await node.run('export_metadata', {}, { version: 2 })).toMatchObject({ resource_version });
  });
});

describe('bulk', () => {
  test('returns the results of its commands in order', async () => {
    expect(
      await node.run('bulk', [
        ...trackBoth,
        { type: 'run_sql', args: { sql: 'select count(*) from author' } },
        { type: 'export_metadata', args: {} },
      ]),
    ).toMatchObject([
      { message: 'success' },
      { message: 'success' },
      { message: 'success' },
      { result_type: 'TuplesOk', result: [['count'], ['0']] },
      { version: 3 },
    ]);
  });

  test('sees tables that its previous commands have created', async () => {
    await node.run('bulk', [
      { type: 'run_sql', args: { sql: 'create table first (id int primary key)' } },
      { type: 'track_table', args: 'first' },
      { type: 'run_sql', args: { sql: 'create table second (id int primary key, first int references first)' } },
      { type: 'track_table', args: 'second' },
      { type: 'create_object_relationship', args: { table: 'second', name: 'one', using: byColumn('first') } },
    ]);
    expect(table('second')?.relationships.get('one')?.target).toBe(table('first'));
  });

  test('is rolled back as a whole: metadata, SQL and scheduled events', async () => {
    const before = await node.run('export_metadata', {}, { version: 2 });
    const model = node.model();
    const rejection = await node.rejection('bulk', [
      ...trackBoth,
      { type: 'run_sql', args: { sql: `create table created (); insert into author values (1, 'A')` } },
      {
        type: 'create_scheduled_event',
        args: { webhook: 'http://127.0.0.1:1/', schedule_at: '2100-01-01T00:00:00Z', payload: {} },
      },
      {
        type: 'bulk',
        args: [
          { type: 'track_table', args: 'created' },
          { type: 'track_table', args: 'nothing' },
        ],
      },
    ]);
    expect(rejection).toMatchObject({ code: 'invalid-configuration', path: '$.args[5].args[1].args' });
    expect(node.model()).toBe(model);
    expect(await node.run('export_metadata', {}, { version: 2 })).toEqual(before);
    expect(await sql(`select to_regclass('created'), (select count(*) from author)`)).toEqual([[null, '0']]);
    expect(await sql('select count(*) from joinery.scheduled_events')).toEqual([['0']]);
  });

  test.each([
    ['an unknown command', [{ type: 'export_metadata' }, { type: 'track' }], 'parse-failed', '$.args[1].type'],
    ['an item that is not a command', [5], 'parse-failed', '$.args[0]'],
    ['arguments that are not a list', {}, 'parse-failed', '$.args'],
    [
      'an invalid argument',
      [{ type: 'track_table', args: { table: 'author', shade: 1 } }],
      'parse-failed',
      '$.args[0].args.shade',
    ],
  ])('is rejected with the path of %s', async (_reason, args, code, path) => {
    expect(await node.rejection('bulk', args)).toMatchObject({ code, path });
  });

  test('rejects SQL at /v1/metadata', async () => {
    const args = [{ type: 'run_sql', args: { sql: 'select 1' } }];
    expect(await node.rejection('bulk', args, { api: 'metadata' })).toMatchObject({ path: '$.args[0].type' });
    expect(await node.run('bulk', args, { api: 'query' })).toHaveLength(1);
  });

  test('with bulk_keep_going returns the errors and rolls back only failed commands', async () => {
    const results = await node.run('bulk_keep_going', [
      { type: 'run_sql', args: { sql: 'create table stored ()' } },
      { type: 'run_sql', args: { sql: 'create table discarded (); select nothing' } },
      { type: 'track_table', args: 'stored' },
      { type: 'track_table', args: 'discarded' },
    ]);
    expect(results).toMatchObject([
      commandOk,
      { code: 'postgres-error', path: '$.args[1].args' },
      { message: 'success' },
      { code: 'invalid-configuration', path: '$.args[3].args' },
    ]);
    expect(table('stored')).toBeDefined();
    expect(await sql(`select to_regclass('discarded')`)).toEqual([[null]]);
  });

  test('with bulk_atomic checks the consistency of its final result only', async () => {
    const definition = { handler: 'http://127.0.0.1:1/', output_type: 'Result' };
    const types = { objects: [{ name: 'Result', fields: [{ name: 'id', type: 'Int' }] }] };
    const calls = [
      { type: 'create_action', args: { name: 'place', definition } },
      { type: 'set_custom_types', args: types },
    ];
    expect(await node.run('bulk_atomic', calls)).toEqual({ message: 'success' });
    expect(node.model().actions.size).toBe(1);
    expect(await node.rejection('bulk_atomic', calls)).toMatchObject({
      code: 'already-exists',
      path: '$.args[0].args.name',
    });
    const withSql = [{ type: 'run_sql', args: { sql: 'select 1' } }];
    expect(await node.rejection('bulk_atomic', withSql)).toMatchObject({ path: '$.args[0].type' });
  });

  test('may add an object after a command that depends on it', async () => {
    const definition = { handler: 'http://127.0.0.1:1/', output_type: 'Result' };
    const types = { objects: [{ name: 'Result', fields: [{ name: 'id', type: 'Int' }] }] };
    const create = { type: 'create_action', args: { name: 'place', definition } };
    await node.run('bulk', [create, { type: 'set_custom_types', args: types }, ...trackBoth]);
    expect(node.model().actions.size).toBe(1);
  });

  test('tracks the existing tables of pg_track_tables and returns warnings for the others', async () => {
    const some = { tables: [{ table: 'author' }, { table: 'nothing' }] };
    expect(await node.run('bulk', [{ type: 'pg_track_tables', args: some }, trackBoth[1]])).toMatchObject([
      { message: 'success', warnings: [{ path: '$.args.tables[1]' }] },
      { message: 'success' },
    ]);
  });
});
