/** Half-open connections: open connections that forward no data. They are detected and replaced. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { listen } from '../../src/postgres/client/listen.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { type Proxy as PostgresProxy, startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase({ sql: 'create table item (id int primary key)' });
});
afterAll(() => db.drop());

interface ProxiedDatabase {
  readonly proxy: PostgresProxy;
  readonly database: Database;
}

async function withProxy(
  settings: Partial<DatabaseSettings>,
  work: (proxied: ProxiedDatabase) => Promise<void>,
): Promise<void> {
  const proxy = await startProxy(db.url);
  const usual = { poolSize: 3, statementTimeoutMs: 60_000, prepare: true, applicationName: 'half open' };
  const database = createDatabase({ ...usual, ...settings, url: proxy.url });
  try {
    await work({ proxy, database });
  } finally {
    proxy.cut();
    await database.close();
    await proxy.close();
  }
}

const one = { text: 'select 1', values: [] };

/** Opens every connection of the pool. */
async function fill(database: Database): Promise<void> {
  const sleep = { text: 'select pg_sleep(0.1)', values: [] };
  await Promise.all(Array.from({ length: database.stats().size }, () => database.query(sleep)));
  await until('every connection is idle', () => database.stats().idle === database.stats().size);
}

const polling = { timeout: 30_000, interval: 100 };

async function responds(database: Database): Promise<boolean> {
  return database.query(one).then(
    () => true,
    () => false,
  );
}

describe.concurrent('a pool with half-open connections', () => {
  test(
    'rejects the statements on them and replaces them if new connections work',
    ({ expect }) =>
      withProxy({}, async ({ proxy, database }) => {
        await fill(database);
        proxy.stall('forwarded');
        const stuck = Array.from({ length: 3 }, () => database.query(one).catch((error: unknown) => error));
        const waiting = database.query(one);
        for (const error of await Promise.all(stuck)) expect(fromPostgres(error)).toMatchObject({ code: 'busy' });
        expect((await waiting).rows).toEqual([['1']]);
        expect(await responds(database)).toBe(true);
      }),
    60_000,
  );

  test(
    'replaces idle connections before a caller uses them',
    ({ expect }) =>
      withProxy({}, async ({ proxy, database }) => {
        await fill(database);
        proxy.stall('forwarded');
        await expect.poll(() => database.stats().total, polling).toBe(0);
        expect(await responds(database)).toBe(true);
      }),
    60_000,
  );

  test(
    'responds again when the network returns',
    ({ expect }) =>
      withProxy({}, async ({ proxy, database }) => {
        await fill(database);
        proxy.stall('silent');
        const stuck = Array.from({ length: 6 }, () => responds(database));
        await expect.poll(() => proxy.connections(), polling).toBeGreaterThan(3);
        proxy.restore();
        await expect.poll(() => responds(database), polling).toBe(true);
        await Promise.all(stuck);
      }),
    60_000,
  );

  test(
    'rejects statements with busy while the server is unreachable',
    ({ expect }) =>
      withProxy({}, async ({ proxy, database }) => {
        await fill(database);
        proxy.stall('silent');
        const error = await database.query(one).catch((thrown: unknown) => thrown);
        expect(fromPostgres(error)).toMatchObject({ code: 'busy' });
      }),
    60_000,
  );

  test(
    'rejects a transaction that waits for a response',
    ({ expect }) =>
      withProxy({}, async ({ proxy, database }) => {
        const ended = database.transaction(async (query) => {
          await query(one);
          proxy.stall('forwarded');
          await query(one);
        });
        await expect(ended).rejects.toMatchObject({ code: 'busy' });
        expect(await responds(database)).toBe(true);
      }),
    60_000,
  );

  test(
    'closes the sockets of its half-open connections',
    ({ expect }) =>
      withProxy({}, async ({ proxy, database }) => {
        await fill(database);
        proxy.stall('forwarded');
        await expect.poll(() => proxy.connections(), polling).toBe(0);
      }),
    60_000,
  );
});

describe.concurrent('a slow statement on a working connection', () => {
  test(
    'is not canceled',
    ({ expect }) =>
      withProxy({ statementTimeoutMs: 0 }, async ({ database }) => {
        const slow = { text: 'select 1 from pg_sleep(9)', values: [] };
        expect((await database.query(slow)).rows).toEqual([['1']]);
      }),
    60_000,
  );

  test(
    'is not canceled when other connections of its pool are lost',
    ({ expect }) =>
      withProxy({ statementTimeoutMs: 0 }, async ({ proxy, database }) => {
        await fill(database);
        proxy.stall('forwarded');
        const stuck = database.query(one).catch((error: unknown) => error);
        await expect.poll(() => responds(database), polling).toBe(true);
        const slow = database.query({ text: 'select 2 from pg_sleep(5)', values: [] });
        expect(fromPostgres(await stuck)).toMatchObject({ code: 'busy' });
        expect((await slow).rows).toEqual([['2']]);
      }),
    60_000,
  );
});

test.concurrent('a listener reconnects if its connection is half-open', async ({ expect }) => {
  const proxy = await startProxy(db.url);
  const payloads: string[] = [];
  let reconnects = 0;
  const listener = await listen({
    url: proxy.url,
    channels: ['half_open'],
    onNotify: (_channel, payload) => payloads.push(payload),
    onReconnect: () => {
      reconnects += 1;
    },
  });
  try {
    proxy.stall('silent');
    await expect.poll(() => proxy.connections(), polling).toBe(0);
    proxy.restore();
    await expect.poll(() => reconnects, polling).toBe(1);
    await db.database.query({ text: 'select pg_notify($1, $2)', values: ['half_open', 'back'] });
    await expect.poll(() => payloads).toEqual(['back']);
  } finally {
    await listener.close();
    await proxy.close();
  }
}, 60_000);

test.concurrent('a service is ready and responds again after its connections were half-open', async ({ expect }) => {
  const proxy = await startProxy(db.url);
  const service = await startService({ JOINERY_DATABASE_URL: proxy.url }, db);
  const ready = async () => (await fetch(`${service.url}/readyz`)).status;
  const items = () => service.graphql('{ item { id } }');
  try {
    await service.command('track_table', 'item');
    await expect.poll(ready).toBe(200);
    proxy.stall('silent');
    const stuck = Array.from({ length: 20 }, items);
    await expect.poll(ready, polling).toBe(503);
    proxy.restore();
    await expect.poll(ready, polling).toBe(200);
    for (const response of await Promise.all(stuck)) {
      if (!('data' in (response as object)))
        expect(response).toMatchObject({ errors: [{ extensions: { code: 'busy' } }] });
    }
    await expect.poll(items, polling).toEqual({ data: { item: [] } });
  } finally {
    proxy.cut();
    await service.stop();
    await proxy.close();
  }
}, 90_000);
