/** Cancellation of statements, by the caller and by the statement timeout. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase, withDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const sleep = { text: 'select pg_sleep(30)', values: [] };

function running(name: string): Promise<number> {
  const text = `select pid from pg_stat_activity where datname = current_database() and application_name = $1 and wait_event = 'PgSleep'`;
  return db.database.query({ text, values: [name] }).then(({ rows }) => rows.length);
}

describe('an aborted signal', () => {
  test('cancels the statement on the server', () =>
    withDatabase(db, { applicationName: 'abort running' }, async (database) => {
      const controller = new Cancellation();
      const result = database.query(sleep, { signal: controller }).catch((error: unknown) => error);
      await expect.poll(() => running('abort running')).toBe(1);
      controller.abort();
      expect(await result).toBeInstanceOf(ServiceError);
      expect(await result).toMatchObject({ status: 499 });
      expect(await running('abort running')).toBe(0);
      expect((await database.query({ text: 'select 1', values: [] })).rows).toEqual([['1']]);
      expect(database.stats().total).toBe(1);
    }));

  test('rejects the statement with its reason if that is a ServiceError', () =>
    withDatabase(db, { applicationName: 'abort with reason' }, async (database) => {
      const reason = new ServiceError('timeout', 'too late');
      const signal = new Cancellation();
      const result = database.query(sleep, { signal }).catch((error: unknown) => error);
      await expect.poll(() => running('abort with reason')).toBe(1);
      signal.abort(reason);
      expect(await result).toBe(reason);
      await expect(database.query(sleep, { signal })).rejects.toBe(reason);
    }));

  test('removes a caller from the queue for a connection', () =>
    withDatabase(db, {}, async (database) => {
      const first = new Cancellation();
      const busy = database.query(sleep, { signal: first }).catch((error: unknown) => error);
      const second = new Cancellation();
      const waiting = database.query(sleep, { signal: second }).catch((error: unknown) => error);
      await expect.poll(() => database.stats().waiting).toBe(1);
      second.abort();
      expect(await waiting).toBeInstanceOf(ServiceError);
      const next = database.query({ text: 'select 1', values: [] });
      first.abort();
      await busy;
      expect((await next).rows).toEqual([['1']]);
    }));

  test('never cancels the statement of another caller', () =>
    withDatabase(db, { poolSize: 3 }, async (database) => {
      const outcomes = await Promise.all(
        Array.from({ length: 300 }, async (_, index) => {
          if (index % 2 === 0)
            return database.query({ text: 'select pg_sleep(0.004), 1', values: [] }).then(() => 'completed');
          const signal = new Cancellation();
          setTimeout(() => {
            signal.abort();
          }, index);
          return database.query({ text: 'select pg_sleep(0.03)', values: [] }, { signal }).then(
            () => 'completed',
            () => 'canceled',
          );
        }),
      );
      expect(outcomes.filter((_, index) => index % 2 === 0)).toEqual(Array.from({ length: 150 }, () => 'completed'));
      expect(outcomes).toContain('canceled');
    }));

  test('rolls a transaction back and returns its connection to the pool', () =>
    withDatabase(db, { applicationName: 'abort transaction' }, async (database) => {
      await database.query({ text: 'create table entry (a int)', values: [] });
      const controller = new Cancellation();
      const result = database
        .transaction(async (query) => {
          await query({ text: 'insert into entry values (1)', values: [] });
          return query(sleep, { signal: controller });
        })
        .catch((error: unknown) => error);
      await expect.poll(() => running('abort transaction')).toBe(1);
      controller.abort();
      expect(await result).toMatchObject({ status: 499 });
      expect((await database.query({ text: 'select count(*) from entry', values: [] })).rows).toEqual([['0']]);
      expect(database.stats().total).toBe(1);
    }));
});

describe('the statement timeout', () => {
  test.each([
    ['is set on the server', undefined, 0],
    ['cancels the statement if a pooler rejects startup parameters', 'reject', 1],
    ['cancels the statement if a pooler ignores startup parameters', 'ignore', 1],
  ] as const)('%s', async (_rule, parameters, cancels) => {
    const proxy = await startProxy(db.url, parameters && { parameters });
    await withDatabase(db, { url: proxy.url, statementTimeoutMs: 1_500 }, async (database) => {
      const error = await database.query(sleep).catch((e: unknown) => fromPostgres(e));
      expect(error).toMatchObject({ code: 'timeout', status: 504 });
      expect((await database.query({ text: 'select 1', values: [] })).rows).toEqual([['1']]);
    });
    expect(proxy.cancels()).toBe(cancels);
    await proxy.close();
  });
});
