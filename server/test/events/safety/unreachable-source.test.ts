/** Event triggers of a source that is unreachable when the service starts, beside those of another source. */
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type SourceServer, startSourceServer } from '../../support/database/source-server.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 120_000 });

let store: TestDatabase;
let source: SourceServer;
let sink: Sink;
let service: TestService | undefined;

const change = { columns: '*' };

beforeEach(async () => {
  sink = await startSink();
  [source, store] = await Promise.all([startSourceServer(), testDatabase({ migrated: true })]);
  await run('create table item (id int primary key)');
  await store.database.query({ text: 'create table note (id int primary key)', values: [] });
  await start();
  await service?.command('pg_add_source', {
    name: 'shop',
    configuration: { connection_info: { database_url: { from_env: 'SOURCE_URL' } } },
  });
  await service?.command('pg_track_table', { source: 'shop', table: 'item' });
  await service?.command('pg_track_table', { table: 'note' });
  await create('item', { source: 'shop' });
  await end();
});
afterEach(async () => {
  await end();
  await source.stop();
  await store.drop();
  await sink.close();
});

async function start(): Promise<void> {
  // The database is dropped by the test.
  service = await startService({ SOURCE_URL: source.url }, { ...store, drop: async () => undefined });
}

async function end(): Promise<void> {
  await service?.stop();
  service = undefined;
}

async function run(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: source.url });
  await client.connect();
  await client.query(text);
  await client.end();
}

const create = (table: string, more: object = {}): Promise<unknown> | undefined =>
  service?.command('pg_create_event_trigger', {
    ...{ name: table, table, insert: change, webhook: `${sink.origin}/${table}`, ...more },
  });

const called = (path: string, count: number): Promise<unknown> =>
  until(`${path} is called ${count} times`, () => sink.calls.filter((call) => call.path === path).length >= count);

test.each<[string, () => Promise<void>, () => Promise<void>]>([
  ['is down', () => source.end(), () => source.start()],
  ['does not respond', async () => source.stall(), async () => source.restore()],
])('a source that %s when the service starts delays its own events only', async (_how, fail, repair) => {
  await run('insert into item values (1)');
  await fail();
  await start();
  await create('note');
  await store.database.query({ text: 'insert into note values (1)', values: [] });
  await called('/note', 1);
  expect(sink.calls.map(({ path }) => path)).toEqual(['/note']);
  await repair();
  await run('insert into item values (2)');
  await called('/item', 2);
  await store.database.query({ text: 'insert into note values (2)', values: [] });
  await called('/note', 2);
});

test('a source that stops to respond delays neither events nor changes of the triggers of another source', async () => {
  await start();
  await run('insert into item values (1)');
  await called('/item', 1);
  source.stall();
  await create('note');
  await store.database.query({ text: 'insert into note values (1)', values: [] });
  await called('/note', 1);
  for (const name of ['second', 'third']) {
    await create('note', { name, webhook: `${sink.origin}/${name}` });
    await store.database.query({ text: `insert into note values (${name.length})`, values: [] });
    await called(`/${name}`, 1);
  }
  source.restore();
  await run('insert into item values (2)');
  await called('/item', 2);
});

test('a source that returns is compared with the metadata, and delivers', async () => {
  await run('drop trigger joinery_1_insert on item');
  await source.end();
  await start();
  await source.start();
  const captures = async (): Promise<number> => {
    const client = new pg.Client({ connectionString: source.url });
    await client.connect();
    const { rowCount } = await client.query(`select from pg_trigger where tgname = 'joinery_1_insert'`);
    await client.end();
    return rowCount ?? 0;
  };
  await until('the trigger is created again', async () => (await captures()) === 1);
  await run('insert into item values (1)');
  await called('/item', 1);
});

test('get_event_trigger_stats returns the triggers of a source that does not respond with the reason', async () => {
  await start();
  await create('note');
  await store.database.query({ text: 'insert into note values (1)', values: [] });
  await called('/note', 1);
  source.stall();
  const result = await service?.command('get_event_trigger_stats', {});
  expect(result).toMatchObject({
    triggers: [
      { name: 'note', source: 'default', consistent: true, reason: null },
      {
        ...{ name: 'item', source: 'shop', consistent: false, pending: 0 },
        reason: expect.stringMatching(/^the events of source "shop" cannot be read: /),
      },
    ],
  });
});
