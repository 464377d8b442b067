/** Limits on the connections that one role uses, so that other roles and the service itself have connections. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';

let db: TestDatabase;
const opened: Database[] = [];

beforeAll(async () => {
  db = await testDatabase({
    sql: `create table item (id int primary key);
      insert into item values (1);
      create view slow_item as select id from item, pg_sleep(60)`,
  });
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await db.drop();
});

/** Opens a pool with an application name of its own. */
function open(settings: Partial<DatabaseSettings> = {}): Database {
  const applicationName = `fairness ${opened.length}`;
  const usual = { url: db.url, poolSize: 4, statementTimeoutMs: 0, prepare: true, applicationName };
  const database = createDatabase({ ...usual, roleShare: 50, ...settings });
  opened.push(database);
  return database;
}

/** Starts statements that run until `end` is called. */
function blocked(database: Database, role: string | undefined, count: number) {
  const signal = new Cancellation();
  const sleep = { text: 'select pg_sleep(60)', values: [] };
  const ended = Promise.allSettled(Array.from({ length: count }, () => database.query(sleep, { signal, role })));
  return {
    end: () => {
      signal.abort();
      return ended;
    },
  };
}

const one = { text: 'select 1', values: [] };

/** Waits until `count` statements sleep on connections of the pool that was opened last. */
function untilAsleep(count: number): Promise<void> {
  const text = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and application_name = $1`;
  const values = [`fairness ${opened.length - 1}`];
  const asleep = async () => (await db.database.query({ text, values })).rows.length;
  return expect.poll(asleep).toBe(count);
}

describe('a pool with a share for each role', () => {
  test('gives a role no more connections than its share, and others the rest', async () => {
    const database = open();
    const slow = blocked(database, 'slow', 10);
    await untilAsleep(2);
    expect((await database.query(one, { role: 'other' })).rows).toEqual([['1']]);
    expect((await database.transaction((query) => query(one), { role: 'other' })).rows).toEqual([['1']]);
    expect(database.stats()).toMatchObject({ waiting: 8 });
    await slow.end();
    expect((await database.query(one, { role: 'slow' })).rows).toEqual([['1']]);
    expect(database.stats()).toMatchObject({ waiting: 0 });
  });

  test('keeps one connection for statements without a role', async () => {
    const database = open();
    const slow = ['one', 'two', 'three'].map((role) => blocked(database, role, 3));
    await untilAsleep(3);
    expect((await database.query(one)).rows).toEqual([['1']]);
    await Promise.all(slow.map(({ end }) => end()));
  });

  test('serves the role with the fewest connections in use first', async () => {
    const database = open({ roleShare: 99 });
    const slow = blocked(database, 'slow', 1);
    const third = blocked(database, 'third', 1);
    const fourth = blocked(database, 'fourth', 1);
    await untilAsleep(3);
    const served: string[] = [];
    const record = (role: string) => database.query(one, { role }).then(() => served.push(role));
    const waiting = Promise.all([record('slow'), record('slow'), record('other')]);
    // One connection becomes free, so that one statement runs after the other.
    await third.end();
    await waiting;
    expect(served[0]).toBe('other');
    await Promise.all([slow.end(), fourth.end()]);
  });

  test('rejects a statement over the share with busy after the maximal wait', async () => {
    const database = open({ limits: { wait: 1 } });
    const slow = blocked(database, 'slow', 2);
    await untilAsleep(2);
    await expect(database.query(one, { role: 'slow' })).rejects.toMatchObject({ code: 'busy', status: 503 });
    await slow.end();
  });

  test('no longer counts a lost connection', async () => {
    const database = open();
    const slow = blocked(database, 'slow', 2);
    await untilAsleep(2);
    const waiting = database.query(one, { role: 'slow' });
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1`;
    await db.database.query({ text: kill, values: [`fairness ${opened.length - 1}`] });
    expect((await waiting).rows).toEqual([['1']]);
    await slow.end();
  });

  test('limits nothing at 100 percent', async () => {
    const database = open({ roleShare: 100 });
    const slow = blocked(database, 'slow', 5);
    await untilAsleep(4);
    await slow.end();
  });
});

test('slow queries of one role delay neither other roles nor metadata commands', async () => {
  const service = await startService({ JOINERY_DATABASE_URL: db.url, JOINERY_POOL_SIZE: '5' }, db);
  const disconnect = new AbortController();
  try {
    for (const table of ['item', 'slow_item']) {
      await service.command('track_table', table);
      for (const role of ['slow', 'other']) {
        const permission = { columns: ['id'], filter: {} };
        await service.command('create_select_permission', { table, role, permission });
      }
    }
    let ended = 0;
    const slow = Array.from({ length: 20 }, () =>
      fetch(`${service.url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-role': 'slow' },
        body: JSON.stringify({ query: '{ slow_item { id } }' }),
        signal: disconnect.signal,
      })
        .catch(() => undefined)
        .finally(() => {
          ended += 1;
        }),
    );
    const sleeping = `select 1 from pg_stat_activity where datname = current_database()
      and application_name = 'joinery default' and wait_event = 'PgSleep'`;
    await expect
      .poll(async () => (await db.database.query({ text: sleeping, values: [] })).rows.length)
      .toBeGreaterThanOrEqual(3);
    expect(await service.graphql('{ item { id } }', { 'x-service-role': 'other' })).toEqual({
      data: { item: [{ id: 1 }] },
    });
    const event = { webhook: 'http://127.0.0.1:9/', schedule_at: '2099-01-01T00:00:00Z', payload: {} };
    expect(await service.command('create_scheduled_event', event)).toMatchObject({ message: 'success' });
    expect(await service.command('run_sql', { sql: 'select 1' })).toMatchObject({ result_type: 'TuplesOk' });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(ended).toBe(0);
    disconnect.abort();
    await Promise.all(slow);
  } finally {
    disconnect.abort();
    await service.stop();
  }
}, 60_000);
