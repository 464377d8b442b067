/** Short reads that share a connection: each has its own result and its own error, and a slow one delays no other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import type { QueryOptions } from '../../src/postgres/client/statement-run.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { type Proxy as PostgresProxy, startProxy } from '../support/database/postgres-proxy.ts';
import { ids, lookup, read, sleep, warm } from '../support/database/short-reads.ts';
import { type TestDatabase, testDatabase, withDatabase } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({
    sql: `create table item (id int primary key, name text not null); create sequence calls;
      insert into item select i, 'name ' || i from generate_series(1, 500) as i`,
  });
});
afterAll(() => db.drop());

/** Changes a sequence each time that it is executed. */
const count = `select nextval('calls')`;
const counted = 'select last_value from calls';

describe('short reads of a pool without an idle connection', () => {
  test('share connections, and each has its own result', () =>
    withDatabase(db, { poolSize: 2 }, async (database) => {
      await until('most of the reads were sent behind others', async () => {
        await warm(database, lookup, ['1']);
        const before = database.stats().pipelined;
        const names = await Promise.all(ids(200).map((id) => read(database, lookup, [String(id)])));
        expect(names).toEqual(ids(200).map((id) => `name ${id}`));
        return database.stats().pipelined - before > 100;
      });
    }));

  test.each([
    ['share none if the depth is 1', { pipelineDepth: 1 }],
    ['share none without prepared statements', { prepare: false }],
  ])('%s', (_rule, settings) =>
    withDatabase(db, settings, async (database) => {
      for (let round = 0; round < 3; round += 1) {
        await Promise.all(ids(50).map((id) => read(database, lookup, [String(id)])));
      }
      expect(database.stats().pipelined).toBe(0);
    }),
  );

  test('have errors of their own', () =>
    withDatabase(db, {}, async (database) => {
      const divide = 'select 100 / $1::int';
      await until('reads share the connection', async () => {
        await warm(database, divide, ['1']);
        const before = database.stats().pipelined;
        const results = await Promise.all(
          ids(60).map((id) =>
            read(database, divide, [String(id % 3)]).catch((error: unknown) => fromPostgres(error).code),
          ),
        );
        expect(results).toEqual(ids(60).map((id) => ['data-exception', '100', '50'][id % 3]));
        return database.stats().pipelined > before;
      });
    }));

  test('parse again what the server has forgotten', () =>
    withDatabase(db, {}, async (database) => {
      await warm(database, lookup, ['1']);
      await database.query({ text: 'deallocate all', values: [] });
      const names = await Promise.all(ids(30).map((id) => read(database, lookup, [String(id)])));
      expect(names).toEqual(ids(30).map((id) => `name ${id}`));
    }));

  test('let a write and a transaction that wait have a connection', () =>
    withDatabase(db, {}, async (database) => {
      await warm(database, lookup, ['1']);
      let stopped = false;
      const readers = ids(10).map(async (id) => {
        while (!stopped) expect(await read(database, lookup, [String(id)])).toBe(`name ${id}`);
      });
      await database.query({ text: 'create table written (id int)', values: [] });
      await database.transaction((query) => query({ text: 'insert into written values (1)', values: [] }));
      stopped = true;
      await Promise.all(readers);
      expect((await database.query({ text: 'select * from written', values: [] })).rows).toEqual([['1']]);
    }));

  test('use connections of the share of their role only', () =>
    withDatabase(db, { poolSize: 4, roleShare: 50 }, async (database) => {
      await warm(database, lookup, ['1']);
      const reads = ids(200).map((id) => read(database, lookup, [String(id)], { role: 'many' }));
      const other = await read(database, lookup, ['7'], { role: 'one' });
      expect(other).toBe('name 7');
      expect(await Promise.all(reads)).toEqual(ids(200).map((id) => `name ${id}`));
    }));
});

describe('a statement', () => {
  test('that is not known as short has no other behind it', () =>
    withDatabase(db, { poolSize: 2 }, async (database) => {
      // Longer than the lag of a busy event loop.
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(ids(4).map((id) => read(database, sleep, [String(id), '0.5'])));
      }
      expect(database.stats().pipelined).toBe(0);
    }));

  test('that reads and was not declared as reading has no other behind it', () =>
    withDatabase(db, {}, async (database) => {
      for (let round = 0; round < 5; round += 1) {
        await Promise.all(ids(20).map((id) => read(database, lookup, [String(id)], { reads: false })));
      }
      expect(database.stats().pipelined).toBe(0);
    }));

  test('that may have effects runs once beside a slow one', () =>
    withDatabase(db, { poolSize: 2 }, async (database) => {
      await warm(database, sleep, ['a', '0']);
      for (let round = 0; round < 10; round += 1) await read(database, count, [], { repeatable: false });
      const before = Number(await read(database, counted, []));
      const sent = database.stats().pipelined;
      const signal = new Cancellation();
      const slow = read(database, sleep, ['slow', '60'], { signal });
      const calls = ids(20).map(() => read(database, count, [], { repeatable: false }));
      await Promise.all(calls);
      expect(database.stats().pipelined).toBe(sent);
      signal.abort();
      await expect(slow).rejects.toMatchObject({ status: 499 });
      expect(Number(await read(database, counted, []))).toBe(before + 20);
    }));

  test('is no longer known as short after a long run', () =>
    withDatabase(db, {}, async (database) => {
      await warm(database, sleep, ['a', '0']);
      // Longer than the lag of a busy event loop.
      await read(database, sleep, ['a', '2']);
      const before = database.stats().pipelined;
      await Promise.all(ids(8).map((id) => read(database, sleep, [String(id), '0'])));
      expect(database.stats().pipelined).toBe(before);
    }));
});

/** Starts a slow run of a statement that is known as short, with others behind it on one of two connections. */
async function behindSlow(
  database: Database,
  options?: QueryOptions,
): Promise<{ slow: Promise<string>; quick: Promise<string>[] }> {
  await warm(database, sleep, ['a', '0']);
  const slow = read(database, sleep, ['slow', '60'], options);
  slow.catch(() => undefined);
  const quick = ids(6).map((id) => read(database, sleep, [String(id), '0'], { unlimited: true }));
  return { slow, quick };
}

/** The quick runs do not sleep. */
const activity = `select pid from pg_stat_activity where datname = current_database() and application_name = $1 and wait_event = 'PgSleep'`;

async function slowProcess(name: string): Promise<string> {
  let pid: string | null | undefined;
  await until('the slow statement runs', async () => {
    [pid] = (await db.database.query({ text: activity, values: [name] })).rows[0] ?? [];
    return pid !== undefined;
  });
  return String(pid);
}

describe('a slow run of a short statement', () => {
  test('does not delay those that were sent behind it', () =>
    withDatabase(db, { poolSize: 2, applicationName: 'slow head' }, async (database) => {
      const signal = new Cancellation();
      const { slow, quick } = await behindSlow(database, { signal });
      expect(await Promise.all(quick)).toEqual(ids(6).map(String));
      await slowProcess('slow head');
      signal.abort();
      await expect(slow).rejects.toMatchObject({ status: 499 });
      expect(await read(database, sleep, ['after', '0'])).toBe('after');
    }));

  test('loses its connection without a lost result of those behind it', () =>
    withDatabase(db, { poolSize: 2, applicationName: 'killed head' }, async (database) => {
      const { slow, quick } = await behindSlow(database);
      const pid = await slowProcess('killed head');
      await db.database.query({ text: 'select pg_terminate_backend($1::int)', values: [pid] });
      const error = await slow.catch((thrown: unknown) => fromPostgres(thrown));
      expect(error).toMatchObject({ code: 'busy' });
      expect(await Promise.all(quick)).toEqual(ids(6).map(String));
    }));

  test('is canceled at its time limit, and those behind it have their results', async () => {
    const proxy = await startProxy(db.url, { parameters: 'ignore' });
    await withDatabase(db, { url: proxy.url, poolSize: 2, statementTimeoutMs: 800 }, async (database) => {
      const { slow, quick } = await behindSlow(database);
      const error = await slow.catch((thrown: unknown) => fromPostgres(thrown));
      expect(error).toMatchObject({ code: 'timeout' });
      expect(await Promise.all(quick)).toEqual(ids(6).map(String));
      expect(proxy.cancels()).toBe(1);
    });
    await proxy.close();
  });
});

/** A read that waits while another session has the exclusive lock. */
const locked = 'select $1::text from pg_advisory_xact_lock_shared($2::int8)';

async function expectCanceled(reads: readonly Promise<string>[]): Promise<void> {
  const canceled = { status: 'rejected', reason: { status: 499 } };
  expect(await Promise.allSettled(reads)).toMatchObject(reads.map(() => canceled));
}

/** Runs `work` while its reads wait for the lock. Repeats it until `behind` of them were sent behind the first one. */
async function whileLocked(
  behind: number,
  work: (database: Database, proxy: PostgresProxy) => Promise<void>,
): Promise<void> {
  const proxy = await startProxy(db.url);
  try {
    await withDatabase(db, { url: proxy.url }, (database) =>
      until('the reads were sent behind another', async () => {
        await warm(database, locked, ['a', '1']);
        const before = database.stats().pipelined;
        await db.database.session(async (query) => {
          await query({ text: 'select pg_advisory_lock(1)', values: [] });
          await work(database, proxy);
        });
        expect(await read(database, locked, ['after', '1'])).toBe('after');
        return database.stats().pipelined - before === behind;
      }),
    );
  } finally {
    await proxy.close();
  }
}

test('callers that cancel their reads behind another send no cancel request', async () => {
  let first: Promise<string> | undefined;
  await whileLocked(6, async (database, proxy) => {
    const sent = proxy.cancels();
    first = read(database, locked, ['first', '1']);
    const signal = new Cancellation();
    const behind = ids(6).map((id) => read(database, locked, [String(id), '1'], { signal }));
    signal.abort();
    await expectCanceled(behind);
    // A cancel request would arrive before this statement.
    await withDatabase(db, { url: proxy.url }, (other) => other.query({ text: 'select 1', values: [] }));
    expect(proxy.cancels()).toBe(sent);
  });
  expect(await first).toBe('first');
});

test('callers that cancel all reads of a connection cancel the one that runs', () =>
  whileLocked(2, async (database, proxy) => {
    const sent = proxy.cancels();
    const signal = new Cancellation();
    const all = ids(3).map((id) => read(database, locked, [String(id), '1'], { signal }));
    signal.abort();
    await expectCanceled(all);
    await until('a cancel request is sent', () => proxy.cancels() > sent);
  }));

test('connections that are closed in the middle of a pipeline mix up no results', () =>
  withDatabase(db, { poolSize: 3, applicationName: 'closed often' }, async (database) => {
    await warm(database, lookup, ['1']);
    let running = true;
    const outcomes = new Map<string, number>();
    const readers = ids(30).map(async (first) => {
      for (let id = first; running; id = (id % 500) + 1) {
        const outcome = await read(database, lookup, [String(id)]).then(
          (name) => (name === `name ${id}` ? 'own' : 'other'),
          (error: unknown) => fromPostgres(error).code,
        );
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    });
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'closed often'`;
    for (let count = 0; count < 15; count += 1) {
      const before = outcomes.get('own') ?? 0;
      await until('reads succeed', () => (outcomes.get('own') ?? 0) > before + 100);
      await db.database.query({ text: terminate, values: [] });
    }
    running = false;
    await Promise.all(readers);
    expect([...outcomes.keys()].filter((outcome) => outcome !== 'own' && outcome !== 'busy')).toEqual([]);
    expect(database.stats().pipelined).toBeGreaterThan(0);
  }));
