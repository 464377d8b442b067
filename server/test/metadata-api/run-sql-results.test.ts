/** `run_sql` with `all_results`: the results of all statements. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

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

function run(sql: string, args: object = {}): Promise<unknown> {
  return node.run('run_sql', { sql, all_results: {}, ...args });
}

async function positionOf(sql: string): Promise<string> {
  const { internal } = await node.rejection('run_sql', { sql, all_results: {} });
  const { position } = (internal as { error: { position: number } }).error;
  return [...sql].slice(position - 1).join('');
}

const inTransaction = [
  ['in one transaction', {}],
  ['outside of a transaction', { transaction: false }],
] as const;

describe.each(inTransaction)('all results %s', (_where, args) => {
  test('are those of the statements in order, with types, null, and the number of changed rows', async () => {
    const sql = `
      -- A table for this run.
      create temporary table parts as select 1 as id, 2.50::numeric(10,2) as price;
      insert into parts values (2, null), (3, null);
      select id, price from parts order by id;
      drop table parts`;
    expect(await run(sql, args)).toEqual({
      result_type: 'CommandOk',
      result: null,
      results: [
        { command: 'SELECT', row_count: 1, columns: [], rows: [], more: false },
        { command: 'INSERT', row_count: 2, columns: [], rows: [], more: false },
        {
          command: 'SELECT',
          row_count: 3,
          columns: [
            { name: 'id', type: 'integer' },
            { name: 'price', type: 'numeric' },
          ],
          rows: [
            ['1', '2.50'],
            ['2', null],
            ['3', null],
          ],
          more: false,
        },
        { command: 'DROP TABLE', row_count: 0, columns: [], rows: [], more: false },
      ],
    });
  });

  test('have at most `max_rows` rows each', async () => {
    const sql = `select n from generate_series(1, 5) n; with m as (select 1) select * from m; values (1), (2), (3)`;
    expect(await run(sql, { ...args, all_results: { max_rows: 2 } })).toMatchObject({
      results: [
        { row_count: 2, rows: [['1'], ['2']], more: true },
        { row_count: 1, rows: [['1']], more: false },
        { row_count: 2, rows: [['1'], ['2']], more: true },
      ],
    });
  });

  test('contain rows of statements that a cursor cannot read', async () => {
    const sql = `
      create table if not exists stored (id int);
      with added as (insert into stored values (7) returning id) select id from added;
      explain (costs off) select 1;
      delete from stored returning id; drop table stored`;
    expect(await run(sql, args)).toMatchObject({
      results: [
        {},
        { rows: [['7']] },
        { row_count: 1, rows: [['Result']] },
        { command: 'DELETE', row_count: 1, rows: [['7']] },
        {},
      ],
    });
  });

  test('are empty for SQL without statements', async () => {
    const { results } = (await run('-- nothing', args)) as { results: readonly object[] };
    expect(results.every((one) => 'rows' in one && Array.isArray(one.rows) && one.rows.length === 0)).toBe(true);
  });
});

test('a statement that fails undoes those before it, and its error has the position in the whole SQL', async () => {
  const sql = `create table undone (id int); select 'ключ 😀'; select 1, wrong -- no such column`;
  expect(await positionOf(sql)).toBe('wrong -- no such column');
  expect(await run(`select to_regclass('undone')`)).toMatchObject({ results: [{ rows: [[null]] }] });
});

test.each([
  ['select 1;\nselect 2 /* total', '/* total', 'unterminated /* comment at or near "/* total"'],
  ["select 'open", "'open", `unterminated quoted string at or near "'open"`],
  ['select (1', '', 'syntax error at end of input'],
  ['select 1 from', '', 'syntax error at end of input'],
])('the error of the unfinished SQL %j names text of the caller only', async (sql, rest, message) => {
  expect(await positionOf(sql)).toBe(rest);
  expect(await node.rejection('run_sql', { sql, all_results: {} })).toMatchObject({
    message: `query execution failed: ${message}`,
  });
});

test('an error within a statement that no cursor reads has the position in the whole SQL', async () => {
  expect(await positionOf('select 1;\n\ninsert into nowhere values (1)')).toBe('nowhere values (1)');
});

test('the metadata follows a rename that several statements make', async () => {
  await node.run('run_sql', { sql: 'create table first_name (id int primary key)' });
  await node.run('pg_track_table', { table: 'first_name' });
  await run('select 1; alter table first_name rename to second_name');
  const metadata = await node.run('export_metadata');
  expect(metadata).toMatchObject({ sources: [{ tables: [{ table: { name: 'second_name' } }] }] });
});

test('a limit of rows outside of its range is rejected with its path', async () => {
  expect(await node.rejection('run_sql', { sql: 'select 1', all_results: { max_rows: 0 } })).toMatchObject({
    code: 'parse-failed',
    path: '$.args.all_results.max_rows',
  });
});
