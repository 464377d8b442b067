/** The recipes of docs/event-triggers.md, run as they are printed. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Call, type Sink, startSink } from '../support/events/delivery-node.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const page = readFileSync(new URL('../../../docs/event-triggers.md', import.meta.url), 'utf8');

/** Returns the blocks of a language in the section with this heading. */
function blocks(heading: string, language: string): readonly string[] {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const [own = ''] = section.split(/\n#{2,3} /);
  return [...own.matchAll(/```(\w+)[^\n]*\n([\s\S]*?)```/g)].flatMap(([, kind, text = '']) =>
    kind === language ? [text] : [],
  );
}

let service: TestService;
let sink: Sink;

beforeAll(async () => {
  sink = await startSink();
  service = await startService({ BROKER_URL: sink.origin, SEARCH_URL: sink.origin, CACHE_URL: sink.origin });
});
afterAll(async () => {
  await service.stop();
  await sink.close();
});

const run = (sql: string) => service.database.database.query({ text: sql, values: [] });

async function createTrigger(heading: string): Promise<void> {
  const [text = ''] = blocks(heading, 'json');
  const { type, args } = JSON.parse(text) as { readonly type: string; readonly args: object };
  await service.command(type, args);
}

interface RowEvent {
  readonly id: string;
  readonly event: { readonly op: string; readonly data: { readonly old: unknown; readonly new: unknown } };
}

const callsOf = (path: string): readonly Call[] => sink.calls.filter((call) => call.path === path);
const eventsOf = (path: string): readonly RowEvent[] =>
  callsOf(path).flatMap(({ body }) => body as unknown as RowEvent | readonly RowEvent[]);

test('the outbox publishes the messages of committed transactions in order, and its handlers recognize repeated calls', async () => {
  const [outbox = '', transaction = '', handled = '', handle = ''] = blocks('Transactional outbox', 'sql');
  await run(`create table orders (id int primary key, status text); insert into orders values (1, 'open'); ${outbox}`);
  await service.command('pg_track_table', { table: 'outbox' });
  await createTrigger('Transactional outbox');
  await run(transaction);
  await run(transaction.replace('commit;', 'rollback;'));
  for (const status of ['packed', 'shipped']) {
    await run(`insert into outbox (topic, key, message) values ('order.${status}', 'order 1', '{}')`);
  }
  await until('the messages are published', () => callsOf('/publish').length >= 3);
  expect(eventsOf('/publish').map(({ event }) => event.data.new)).toMatchObject([
    { topic: 'order.paid', key: 'order 1', message: { order: 1, total: 25 } },
    { topic: 'order.packed' },
    { topic: 'order.shipped' },
  ]);
  await run(handled);
  const [first] = eventsOf('/publish');
  const handleEvent = async () =>
    (await service.database.database.query({ text: handle, values: [first?.id ?? ''] })).rows.length;
  expect([await handleEvent(), await handleEvent()]).toEqual([1, 0]);
});

test('the search index gets the last values of a row, and the cache gets changes as lists', async () => {
  await run(`create table product (id int primary key, name text, description text, price int);
    insert into product select n, 'name', '', 1 from generate_series(1, 1000) n`);
  await service.command('pg_track_table', { table: 'product' });
  await createTrigger('Search index');
  await createTrigger('Cache invalidation');
  for (const name of ['a', 'b', 'c']) await run(`update product set name = '${name}' where id = 1`);
  await run('update product set price = 2 where id > 500');
  await until('the row is indexed', () => callsOf('/index').length > 0);
  await until('the cache has all changes', () => eventsOf('/purge').length >= 503);
  expect(eventsOf('/index').map(({ event }) => event.data.new)).toMatchObject([{ id: 1, name: 'c' }]);
  expect(eventsOf('/purge').at(-1)?.event.data.new).toEqual({ id: expect.any(Number) });
  expect(callsOf('/purge').length).toBeLessThan(50);
});
