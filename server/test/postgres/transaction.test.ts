/** Transactions: commit, rollback, options, and the state of the connection afterwards. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type Database } from '../../src/postgres/client/pool.ts';
import type { Query } from '../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
let database: Database;

beforeAll(async () => {
  db = await testDatabase({ sql: 'create table entry (id int primary key)' });
  database = createDatabase({
    url: db.url,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    prepare: true,
    applicationName: 'transaction test',
  });
});
afterAll(async () => {
  await database.close();
  await db.drop();
});
beforeEach(() => db.database.query({ text: 'truncate entry', values: [] }).then(() => undefined));

const insert = (query: Query, id: number) => query({ text: 'insert into entry values ($1)', values: [id] });
const show = (query: Query, setting: string) =>
  query({ text: `show ${setting}`, values: [] }).then(({ rows }) => rows[0]?.[0]);
const entries = () =>
  database.query({ text: 'select id from entry order by id', values: [] }).then(({ rows }) => rows.flat());

test('a transaction commits when the work is done and returns its result', async () => {
  const result = await database.transaction(async (query) => {
    await insert(query, 1);
    await insert(query, 2);
    return 'done';
  });
  expect(result).toBe('done');
  expect(await entries()).toEqual(['1', '2']);
});

test('a transaction rolls back when the work throws and rejects with that error', async () => {
  const error = new Error('work failed');
  const result = database.transaction(async (query) => {
    await insert(query, 1);
    throw error;
  });
  await expect(result).rejects.toBe(error);
  expect(await entries()).toEqual([]);
});

test('a transaction rejects if a statement failed, even if the work handles the error', async () => {
  const handled = database.transaction(async (query) => {
    await insert(query, 1);
    await insert(query, 1).catch(() => undefined);
  });
  await expect(handled).rejects.toThrow('rolled back');
  expect(await entries()).toEqual([]);
});

test('a transaction runs statements that are sent at once in order, and rolls back after all have ended', async () => {
  const result = database.transaction((query) =>
    Promise.all([insert(query, 1), query({ text: 'select 1 / 0', values: [] }), insert(query, 2)]),
  );
  await expect(result).rejects.toMatchObject({ code: '22012' });
  expect(await entries()).toEqual([]);
  await database.transaction((query) => Promise.all([insert(query, 1), insert(query, 2)]));
  expect(await entries()).toEqual(['1', '2']);
});

test('a transaction rejects statements after its end', async () => {
  let stored: Query | undefined;
  await database.transaction(async (query) => {
    stored = query;
  });
  await expect(stored?.({ text: 'select 1', values: [] })).rejects.toThrow('has ended');
});

test('a transaction uses the given isolation level and access mode', async () => {
  const read = await database.transaction(
    async (query) => [await show(query, 'transaction_isolation'), await show(query, 'transaction_read_only')],
    { isolation: 'repeatable read', readOnly: true },
  );
  expect(read).toEqual(['repeatable read', 'on']);
  const write = database.transaction((query) => insert(query, 1), { readOnly: true });
  await expect(write).rejects.toMatchObject({ code: 'not-supported', cause: { code: '25006' } });
});

test('a transaction discards session settings with the connection if the connection is disposed', async () => {
  const timezone = () => show(database.query, 'timezone');
  const before = await timezone();
  const set = (query: Query) => query({ text: `set timezone to 'Asia/Tokyo'`, values: [] });
  await database.transaction(set, { dispose: true });
  expect(await timezone()).toBe(before);
});
