/** Event triggers whose service and clients may share server connections; with PgBouncer in the run, through it. */
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { pooled } from '../../support/database/pooler.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { startService, type TestService } from '../../support/service/test-service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let sink: Sink;

afterEach(async () => {
  await service.stop();
  await sink.close();
});

async function start(prepared: boolean): Promise<void> {
  sink = await startSink();
  service = await startService(
    { JOINERY_USE_PREPARED_STATEMENTS: String(prepared), JOINERY_HEADER_PREFIX: 'x-hasura-' },
    { sql: 'create table item (id int primary key, key int, n int)' },
  );
  await service.command('pg_track_table', { table: 'item' });
  const change = { columns: '*' };
  await service.command('pg_create_event_trigger', {
    ...{ name: 'changed', table: 'item', insert: change, update: change, delete: change },
    ...{ ordering_key: ['key'], webhook: `${sink.origin}/changed` },
  });
}

interface Change {
  readonly op: string;
  readonly session_variables: Readonly<Record<string, string>> | null;
  readonly data: { readonly new: { readonly id: number; readonly key: number; readonly n: number } };
}

const changes = (): readonly Change[] => sink.calls.map(({ body }) => (body as unknown as { event: Change }).event);

/** Changes a row of the key in transactions, with a statement that has a name in the protocol. */
async function changeRows(key: number, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: pooled(service.database.url) });
  await client.connect();
  await client.query('insert into item values ($1, $1, 0)', [key]);
  for (let n = 1; n <= count; n += 1) {
    await client.query('begin');
    await client.query('savepoint before');
    await client.query('update item set n = -1 where id = $1', [key]);
    await client.query('rollback to before');
    await client.query('update item set n = $2 where id = $1', [key, n]);
    await client.query('commit');
  }
  await client.end();
}

test.each([
  ['with', true],
  ['without', false],
])('calls changes of many clients in order, %s prepared statements of the service', async (_with, prepared) => {
  await start(prepared);
  await Promise.all([1, 2, 3, 4, 5].map((key) => changeRows(key, 20)));
  await until('all changes are called', () => changes().length >= 105);
  for (const key of [1, 2, 3, 4, 5]) {
    const own = changes().filter(({ data }) => data.new.key === key);
    expect(own.map(({ data }) => data.new.n)).toEqual(Array.from({ length: 21 }, (_, n) => n));
  }
});

test('gives the session variables of a mutation to its own changes only', async () => {
  await start(true);
  await service.graphql('mutation { insert_item_one(object: { id: 1, key: 1, n: 1 }) { id } }', {
    'x-hasura-role': 'admin',
    'x-hasura-user-id': '7',
  });
  await changeRows(2, 20);
  await until('all changes are called', () => changes().length >= 22);
  expect(changes().filter(({ session_variables: session }) => session !== null)).toMatchObject([
    { session_variables: { 'x-hasura-user-id': '7' }, data: { new: { id: 1 } } },
  ]);
});
