/** Short reads that share a connection which is lost or canceled: those behind the first one have their own results. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Observe } from '../../src/base/telemetry/observe.ts';
import { createDatabase, type Database } from '../../src/postgres/client/pool.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { ids, lookup, read, sleep, warm } from '../support/database/short-reads.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({
    sql: `create table item (id int primary key, name text not null);
      insert into item select i, 'name ' || i from generate_series(1, 500) as i`,
  });
});
afterAll(() => db.drop());

const usual = { poolSize: 2, statementTimeoutMs: 0, prepare: true, applicationName: 'pipeline loss' };

/**
 * Sends reads of which several share each connection, and calls `lose` before any response can arrive. Returns the outcomes of
 * the reads that had not their own result.
 */
async function outcomes(database: Database, lose: () => void): Promise<readonly string[]> {
  return until('reads share a connection', async () => {
    await warm(database, lookup, ['1']);
    const before = database.stats().pipelined;
    const reads = ids(14).map(async (id) => {
      const name = await read(database, lookup, [String(id)]).catch((error: unknown) => fromPostgres(error).code);
      return name === `name ${id}` ? 'own' : name;
    });
    const isShared = database.stats().pipelined > before + 6;
    if (isShared) lose();
    const failed = (await Promise.all(reads)).filter((outcome) => outcome !== 'own');
    return isShared && failed;
  });
}

test('half-open connections fail at most the first read of each, and the others run on new ones', async () => {
  const proxy = await startProxy(db.url);
  const database = createDatabase({ ...usual, url: proxy.url });
  try {
    const failed = await outcomes(database, () => proxy.stall('forwarded'));
    expect(failed.length).toBeLessThanOrEqual(2);
    expect(failed).toEqual(failed.map(() => 'busy'));
    expect(await read(database, lookup, ['7'])).toBe('name 7');
  } finally {
    proxy.cut();
    await database.close();
    await proxy.close();
  }
}, 90_000);

test('a failover fails at most the first read of each connection, and the others run on the other host', async () => {
  const first = await startProxy(db.url);
  const second = await startProxy(db.url);
  const url = first.url.replace(new URL(first.url).host, `${new URL(first.url).host},${new URL(second.url).host}`);
  const database = createDatabase({ ...usual, url });
  try {
    const failed = await outcomes(database, () => {
      expect(second.connections()).toBe(0);
      first.mute();
      setImmediate(() => void first.close());
    });
    expect(failed.length).toBeLessThanOrEqual(2);
    expect(failed).toEqual(failed.map(() => 'busy'));
    expect(second.connections()).toBeGreaterThan(0);
    expect(await read(database, lookup, ['7'])).toBe('name 7');
  } finally {
    await database.close();
    await second.close();
  }
}, 90_000);

test('a read that the cancel request of an earlier one hits runs again', async () => {
  let forward = (): void => undefined;
  const proxy = await startProxy(db.url, {
    parameters: 'ignore',
    cancelWhen: () => new Promise((resolve) => (forward = resolve)),
  });
  let canceled = 0;
  const observe: Observe = (one) => {
    if (one.kind === 'statement' && one.text === sleep && one.failed) canceled += 1;
  };
  const database = createDatabase({ ...usual, url: proxy.url, poolSize: 1, statementTimeoutMs: 50, observe });
  try {
    await until('a cancel request hit the next read', async () => {
      await warm(database, sleep, ['a', '0']);
      const sent = proxy.cancels();
      // It ends by itself after its time limit, and before the next one would run elsewhere.
      const first = read(database, sleep, ['first', '0.08']).catch(() => 'first');
      const second = read(database, sleep, ['second', '0.5'], { unlimited: true });
      expect(await first).toBe('first');
      if (proxy.cancels() > sent) forward();
      expect(await second).toBe('second');
      return canceled > 0;
    });
  } finally {
    await database.close();
    await proxy.close();
  }
}, 90_000);
