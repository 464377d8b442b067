/** The connection pool: results, parameters, prepared statements, connections and their failures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import type { QueryResult } from '../../src/postgres/client/statement-run.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
const opened: Database[] = [];

beforeAll(async () => {
  db = await testDatabase({ sql: 'create table item (id int primary key, name text not null)' });
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await db.drop();
});

function open(settings: Partial<DatabaseSettings> = {}): Database {
  const usual = { url: db.url, poolSize: 2, statementTimeoutMs: 10_000, prepare: true, applicationName: 'pool test' };
  const database = createDatabase({ ...usual, ...settings });
  opened.push(database);
  return database;
}

function query(database: Database, text: string, values: readonly unknown[] = []): Promise<QueryResult> {
  return database.query({ text, values });
}

describe('a result', () => {
  test('contains every value as the text that Postgres sent', async () => {
    const { rows, fields } = await query(
      db.database,
      `select 12345678901234567890.10::numeric as n, true, null, '{"b" : 1, "a": 1e400}'::json, '{1,null}'::int[], $1::int`,
      [7],
    );
    expect(rows).toEqual([['12345678901234567890.10', 't', null, '{"b" : 1, "a": 1e400}', '{1,NULL}', '7']]);
    expect(fields[0]).toEqual({ name: 'n', typeOid: 1700 });
  });

  test('of several statements is the result of the last', async () => {
    expect(await query(db.database, 'select 1; select 2 as two')).toMatchObject({
      rows: [['2']],
      fields: [{ name: 'two' }],
    });
    expect(await query(db.database, 'select 1; create temp table other ()')).toMatchObject({
      rows: [],
      fields: [],
      command: 'CREATE TABLE',
      rowCount: 0,
    });
  });

  test('contains the number of rows that a command changed', async () => {
    const insert = await query(db.database, `insert into item select n, 'x' from generate_series(101, 105) n`);
    expect(insert).toMatchObject({ command: 'INSERT', rowCount: 5 });
    expect(await query(db.database, 'delete from item where id = $1', [101])).toMatchObject({
      command: 'DELETE',
      rowCount: 1,
    });
    expect(await query(db.database, '')).toMatchObject({ command: '', rowCount: 0, rows: [] });
  });
});

describe('a parameter', () => {
  test('that is an array becomes a Postgres array with the same elements', async () => {
    const elements = ['', 'a,b', '{}', '"', '\\', "'", 'NULL', ' ', 'ä\n', null];
    const { rows } = await query(db.database, 'select to_json($1::text[]), to_json($2::int[]), to_json($3::bool[])', [
      elements,
      [
        [1, 2],
        [3, null],
      ],
      [true, false, null],
    ]);
    expect(rows[0]?.map((text) => JSON.parse(text ?? ''))).toEqual([
      elements,
      [
        [1, 2],
        [3, null],
      ],
      [true, false, null],
    ]);
  });

  test('that is an object, a date or bytes becomes JSON, a timestamp or bytea', async () => {
    const { rows } = await query(
      db.database,
      `select $1::jsonb ->> 'a', $2::timestamptz = '2026-01-02T03:04:05.678Z', $3::bytea = '\\x00ff', $4::bytea[] = array['\\x00ff'::bytea]`,
      [{ a: 1 }, new Date('2026-01-02T03:04:05.678Z'), Buffer.from([0, 255]), [Buffer.from([0, 255])]],
    );
    expect(rows).toEqual([['1', 't', 't', 't']]);
  });
});

describe('a prepared statement', () => {
  test('is parsed and described once for each connection', async () => {
    const database = open({ poolSize: 1 });
    const text = 'select $1::int + 1 as next';
    const name = database.prepared(text);
    expect(name).toMatch(/^j/);
    for (const value of [1, 2, 3]) {
      const { rows, fields } = await database.query({ text, values: [value], name });
      expect({ rows, fields }).toEqual({ rows: [[String(value + 1)]], fields: [{ name: 'next', typeOid: 23 }] });
    }
    const { rows } = await query(database, 'select generic_plans + custom_plans from pg_prepared_statements');
    expect(rows).toEqual([['3']]);
  });

  test('has no name after 500 names, or if preparing is disabled', () => {
    const database = open();
    const names = Array.from({ length: 501 }, (_, index) => database.prepared(`select ${index}`));
    expect(new Set(names.slice(0, 500)).size).toBe(500);
    expect(names[500]).toBeUndefined();
    expect(database.prepared('select 0')).toBe(names[0]);
    expect(open({ prepare: false }).prepared('select 1')).toBeUndefined();
  });

  test('is prepared again after a change of its table', async () => {
    const database = open({ poolSize: 1 });
    await query(database, 'create table changing (a int); insert into changing values (1)');
    const text = 'select * from changing';
    const run = () => database.query({ text, values: [], name: database.prepared(text) });
    expect((await run()).rows).toEqual([['1']]);
    await query(database, 'alter table changing add b int default 2');
    expect(await run()).toMatchObject({ rows: [['1', '2']], fields: [{ name: 'a' }, { name: 'b' }] });
    expect((await run()).rows).toEqual([['1', '2']]);
  });

  test('is prepared again if the server has lost it, and has no name after three losses', async () => {
    const observations: Observation[] = [];
    const database = open({ poolSize: 1, observe: (observation) => observations.push(observation) });
    const text = 'select $1::text';
    for (const value of ['a', 'b', 'c', 'd', 'e']) {
      expect((await database.query({ text, values: [value], name: database.prepared(text) })).rows).toEqual([[value]]);
      await query(database, 'deallocate all');
    }
    expect(database.prepared(text)).toBeUndefined();
    expect(observations.filter(({ kind }) => kind !== 'statement')).toMatchObject([{ kind: 'note', level: 'warn' }]);
  });
});

describe('the connections', () => {
  test('are never more than the pool size', async () => {
    const database = open({ poolSize: 2, applicationName: 'size test' });
    const text = `select count(*), pg_sleep(0.05) from pg_stat_activity where datname = current_database() and application_name = 'size test'`;
    const results = await Promise.all(Array.from({ length: 20 }, () => query(database, text)));
    expect(Math.max(...results.map(({ rows }) => Number(rows[0]?.[0])))).toBeLessThanOrEqual(2);
    await expect.poll(() => database.stats()).toEqual({ total: 2, idle: 2, waiting: 0, size: 2, pipelined: 0 });
  });

  test('serve waiting callers in the order of their requests', async () => {
    const database = open({ poolSize: 1 });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const order: number[] = [];
    await Promise.all(numbers.map((number) => query(database, 'select 1').then(() => order.push(number))));
    expect(order).toEqual(numbers);
  });

  test('stay usable after a statement that fails', async () => {
    const database = open({ poolSize: 1 });
    await expect(query(database, 'select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(query(database, 'select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
    await expect(query(database, 'copy item from stdin')).rejects.toMatchObject({ code: '57014' });
    expect((await query(database, 'select 1')).rows).toEqual([['1']]);
    expect(database.stats().total).toBe(1);
  });

  test('stay usable after a value that cannot be serialized', async () => {
    const database = open({ poolSize: 1 });
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const text = 'select $1::json';
    for (const name of [undefined, database.prepared(text)]) {
      await expect(database.query({ text, values: [circular], name })).rejects.toMatchObject({ code: 'unexpected' });
      expect((await database.query({ text, values: ['1'], name })).rows).toEqual([['1']]);
    }
    expect(database.stats()).toMatchObject({ total: 1, idle: 1 });
  });

  test('pass no open transaction to the next caller', async () => {
    const database = open({ poolSize: 1 });
    await query(database, `begin; insert into item values (1, 'half')`);
    expect((await query(database, 'select count(*) from item where id = 1')).rows).toEqual([['0']]);
    await expect(query(database, 'begin; select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect((await query(database, 'select 1')).rows).toEqual([['1']]);
  });

  test('are replaced if they are terminated while idle', async () => {
    const database = open({ applicationName: 'idle death' });
    await query(database, 'select 1');
    await query(
      db.database,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'idle death'`,
    );
    await expect.poll(() => database.stats().total).toBe(0);
    expect((await query(database, 'select 1')).rows).toEqual([['1']]);
  });

  test('reject their statement with busy if they are terminated', async () => {
    const database = open({ applicationName: 'sudden death' });
    const running = query(database, 'select pg_sleep(20)').catch((error: unknown) => fromPostgres(error));
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'sudden death' and state = 'active'`;
    await expect.poll(async () => (await query(db.database, kill)).rows.length).toBe(1);
    expect(await running).toMatchObject({ code: 'busy', status: 503 });
    expect((await query(database, 'select 1')).rows).toEqual([['1']]);
  });

  test('reject statements and transactions with busy if they are cut', async () => {
    const proxy = await startProxy(db.url);
    const database = open({ url: proxy.url, applicationName: 'cut' });
    const running = [
      query(database, 'select pg_sleep(20)'),
      database.transaction((query) => query({ text: 'select pg_sleep(20)', values: [] })),
    ].map((promise) => promise.catch((error: unknown) => error));
    const active = `select 1 from pg_stat_activity where datname = current_database() and application_name = 'cut' and query = 'select pg_sleep(20)'`;
    await expect.poll(async () => (await query(db.database, active)).rows.length).toBe(2);
    proxy.cut();
    for (const error of await Promise.all(running)) expect(error).toMatchObject({ code: 'busy' });
    expect((await query(database, 'select 1')).rows).toEqual([['1']]);
    await database.close();
    await proxy.close();
  });
});

describe('a database that cannot be reached', () => {
  test('rejects every statement with busy, with the reason in the internal details only', async () => {
    const url = new URL(db.url);
    url.port = '1';
    const database = open({ url: url.href });
    const errors = await Promise.all(
      Array.from({ length: 10 }, () => query(database, 'select 1').catch((e: unknown) => e)),
    );
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'busy', internal: { code: 'ECONNREFUSED' } });
      expect((error as Error).message).toBe('the database is not reachable; try again');
    }
    await expect.poll(() => database.stats().total).toBe(0);
  });

  test('because of a wrong password rejects with busy, and the error does not contain the password', async () => {
    const url = new URL(db.url);
    url.password = 'not-the-secret';
    const error = await query(open({ url: url.href }), 'select 1').catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'busy', internal: { code: '28P01' }, cause: { code: '28P01' } });
    expect(JSON.stringify(error)).not.toContain('not-the-secret');
  });
});

describe('closing', () => {
  test('completes running and waiting statements, and rejects later ones', async () => {
    const database = open({ poolSize: 1 });
    const finished = Promise.all([query(database, 'select pg_sleep(0.1), 1'), query(database, 'select 2')]);
    const closing = database.close();
    await expect(query(database, 'select 3')).rejects.toMatchObject({ code: 'busy' });
    await closing;
    expect((await finished).map(({ rows }) => rows[0]?.at(-1))).toEqual(['1', '2']);
    expect(database.stats().total).toBe(0);
  });
});
