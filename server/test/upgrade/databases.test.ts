/** Databases as earlier versions wrote them, recorded by record-main.ts, opened by the present version. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase, withDatabase } from '../support/database/test-database.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

interface Recorded {
  /** The version of the schema `joinery`. */
  readonly schema: number;
  readonly captures: boolean;
  readonly metadata: unknown;
}

const folder = new URL('databases/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''));
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');

const asUser = { 'x-service-role': 'user', 'x-service-user-id': '1' };

describe.each(names)('the database of %s', (name) => {
  const recorded = JSON.parse(read(`${name}.json`)) as Recorded;
  let database: TestDatabase;
  let handlers: HandlerServer;
  let service: TestService;

  beforeAll(async () => {
    database = await testDatabase();
    // Its settings of the session end with the connection.
    await withDatabase(database, {}, (own) => own.query({ text: read(`${name}.sql`), values: [] }));
    const found = () => ({ author_id: 1, note: 'found' });
    handlers = await startHandlerServer({
      '/find': found,
      '/order': found,
      '/row': found,
      '/hook': found,
      '/cron': found,
    });
    service = await startService({ HANDLERS: handlers.url }, database);
  });
  afterAll(async () => {
    await service?.stop();
    await handlers?.close();
    await database?.drop();
  });

  const column = async (text: string) => (await database.database.query({ text, values: [] })).rows.map(([one]) => one);

  test('has the same metadata, which is consistent', async () => {
    expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
    expect(await service.command('export_metadata', {})).toEqual(recorded.metadata);
  });

  test('responds to queries of a role with relationships and aggregates', async () => {
    const books = 'books(order_by: {id: asc}, limit: 2) { title }';
    expect(
      await service.graphql(`{ author { name ${books} } author_aggregate { aggregate { count } } }`, asUser),
    ).toEqual({
      data: {
        author: [{ name: 'Ann', books: [{ title: 'One' }, { title: 'Two' }] }],
        author_aggregate: { aggregate: { count: 1 } },
      },
    });
  });

  test('runs its actions and joins their results', async () => {
    expect(await service.graphql('{ findAuthor(name: "Ann") { note author { name } } }', asUser)).toEqual({
      data: { findAuthor: { note: 'found', author: { name: 'Ann' } } },
    });
  });

  test('responds at its REST endpoint', async () => {
    const response = await fetch(`${service.url}/api/rest/authors`, { headers: { 'x-service-role': 'admin' } });
    expect(await response.json()).toMatchObject({ author: [{ name: 'Ann' }, { name: 'Ben' }] });
  });

  test('keeps the events that are not due, with their headers', async () => {
    expect(await service.command('get_scheduled_events', { type: 'one_off', status: ['scheduled'] })).toMatchObject({
      events: [{ payload: 'later', header_conf: [{ name: 'x-shop', value: 'roastery' }] }],
    });
  });

  test('lists the events that were delivered and that failed, with their calls', async () => {
    const query = `select p.status || ' ' || count(i.*) from joinery.processed_events p join joinery.event_invocations i on i.event_id = p.id
      where p.webhook like '%/hook' or p.webhook like '%/broken' group by p.id, p.status order by 1`;
    expect(await column(query)).toEqual(['delivered 1', 'error 1']);
  });

  test.runIf(recorded.captures)('calls the event trigger for a row that was inserted while no node ran', async () => {
    await until('the webhook is called', () =>
      handlers.calls.some(({ text }) => text.includes('written while no node ran')),
    );
    expect(handlers.calls.filter(({ path }) => path === '/row')).toHaveLength(1);
  });
});

test('at least one recorded database is of an earlier schema', () => {
  expect(names.length).toBeGreaterThan(0);
});
