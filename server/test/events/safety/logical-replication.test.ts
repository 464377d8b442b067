/** Event triggers of databases that take part in logical replication. */
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { startSourceServer } from '../../support/database/source-server.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(sql = '', environment: Readonly<Record<string, string>> = {}): Promise<[TestService, Sink]> {
  let calls = 0;
  const sink = await startSink((_call, response) => {
    calls += 1;
    // The first call of each pair is repeated.
    if (calls % 2 === 1) response.statusCode = 503;
    response.end();
  });
  closing.push(sink.close);
  const service = await startService(environment, { sql });
  closing.push(service.stop);
  return [service, sink];
}

const change = { columns: '*' };
const idsOf = (sink: Sink, name: string): unknown[] => {
  const events = sink.calls.filter(({ path }) => path === `/${name}`).map(({ body }) => body as unknown as RowEvent);
  return [...new Set(events.map(({ event }) => event.data.new.id))].sort();
};

interface RowEvent {
  readonly event: { readonly data: { readonly new: { readonly id: number } } };
}

test('a publication for all tables rejects no change of a table, and no statement of the service', async () => {
  const [service, sink] = await start(
    'create table item (id int primary key); create publication everything for all tables',
  );
  const { database } = service.database;
  const run = (text: string) => database.query({ text, values: [] });
  await service.command('pg_track_table', { table: 'item' });
  for (const more of [
    { name: 'plain' },
    { name: 'ordered', ordering_key: ['id'] },
    { name: 'grouped', batch: { max_events: 10 } },
  ]) {
    await service.command('pg_create_event_trigger', {
      ...{ table: 'item', insert: change, update: change, webhook: `${sink.origin}/${more.name}` },
      ...{ retry_conf: { num_retries: 9, interval_sec: 0 }, ...more },
    });
  }
  await run('insert into item select generate_series(1, 50)');
  const names = ['plain', 'ordered'];
  await until('all events are called', () => names.every((name) => idsOf(sink, name).length === 50));
  await until('all outcomes are written', async () => {
    const left = await run(
      'select (select count(*) from joinery.trigger_work) + (select count(*) from joinery.trigger_batches)',
    );
    return left.rows[0]?.[0] === '0';
  });
  for (const { number } of await numbers()) {
    await run(`select joinery.open_trigger_segment(${number})`);
    await run('select joinery.seal_trigger_segments()');
  }
  await run('update item set id = id + 100 where id <= 10');
  await until('changes after the new segment are called', () => names.every((name) => idsOf(sink, name).length === 60));
  for (const name of ['plain', 'ordered', 'grouped']) await service.command('pg_delete_event_trigger', { name });
  expect((await run(`select to_regclass('joinery.triggers') is null`)).rows).toEqual([['t']]);

  async function numbers(): Promise<readonly { readonly number: string }[]> {
    const { rows } = await run('select number from joinery.triggers');
    return rows.map(([number]) => ({ number: number ?? '' }));
  }
});

test('changes that a subscription applies cause events of triggers that fire on replication, and of no other', async () => {
  const server = await startSourceServer({ wal_level: 'logical' });
  closing.push(server.stop);
  const connection = async (database: string): Promise<pg.Client> => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    closing.push(() => client.end());
    return client;
  };
  const publisher = await connection('postgres');
  await publisher.query('create database subscriber');
  const subscriber = await connection('subscriber');
  for (const one of [publisher, subscriber]) await one.query('create table item (id int primary key)');
  const url = new URL(server.url);
  url.pathname = '/subscriber';
  const [service, sink] = await start('', { SUBSCRIBER_URL: url.href });
  await service.command('pg_add_source', {
    name: 'copy',
    configuration: { connection_info: { database_url: { from_env: 'SUBSCRIBER_URL' } } },
  });
  await service.command('pg_track_table', { source: 'copy', table: 'item' });
  for (const [name, replicated] of [
    ['applied', true],
    ['local', false],
  ] as const) {
    await service.command('pg_create_event_trigger', {
      ...{ source: 'copy', name, table: 'item', insert: change, webhook: `${sink.origin}/${name}` },
      ...{ trigger_on_replication: replicated, retry_conf: { num_retries: 9, interval_sec: 0 } },
    });
  }
  await publisher.query('create publication items for table item');
  await publisher.query(`select pg_create_logical_replication_slot('items', 'pgoutput')`);
  // The subscription is in the same cluster: it must not create its slot.
  await subscriber.query(
    `create subscription items connection '${server.url}' publication items
       with (create_slot = false, slot_name = items, copy_data = false)`,
  );
  closing.push(async () => {
    await subscriber.query('alter subscription items disable');
    await subscriber.query('alter subscription items set (slot_name = none)');
    await subscriber.query('drop subscription items');
    await until('the slot is not in use', async () => {
      const { rows } = await publisher.query('select from pg_replication_slots where active');
      return rows.length === 0;
    });
    await publisher.query(`select pg_drop_replication_slot('items')`);
  });
  await publisher.query('insert into item select generate_series(1, 20)');
  await until('the changes are called', () => idsOf(sink, 'applied').length === 20);
  await subscriber.query('insert into item values (100)');
  await until('a change of the subscriber is called', () => idsOf(sink, 'local').length > 0);
  await until('a change of the subscriber is called', () => idsOf(sink, 'applied').length === 21);
  expect(idsOf(sink, 'local')).toEqual([100]);
});
