/** Real deliveries of every kind of request that the service sends to other servers. */
import { buildSchema, graphql } from 'graphql';
import pg from 'pg';
import { pooled } from '../support/database/pooler.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { type HandlerCall, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

/** The kinds by the name that the page has for them in its headings. */
export type Deliveries = Readonly<Record<string, readonly HandlerCall[]>>;

const sql = `
  create table book (id int primary key, title text not null, pages int);
  insert into book values (1, 'Notes', 60);
`;
const secret = { 'x-service-admin-secret': 'hush' };
const user = { 'x-service-role': 'user', 'x-service-user-id': '7' };
const remote = buildSchema('type Query { reviews(book: Int!): [Int!] }');

const quote = { sku: 'A1', cents: 990 };
const session = { 'X-Service-Role': 'user', 'X-Service-User-Id': '7' };

/** Starts servers and services, causes one delivery of each kind at least, and returns what arrived. */
export async function captureDeliveries(): Promise<Deliveries> {
  const receiver = await startHandlerServer({
    '/scheduled': () => ({}),
    '/cron': () => ({}),
    '/trigger': () => ({}),
    '/trigger-batch': () => ({}),
    '/action': () => quote,
    '/asynchronous': () => quote,
    '/action-batch': ({ body }) => (body.inputs as readonly unknown[]).map(() => quote),
    '/validate': () => ({}),
    '/auth-get': () => session,
    '/auth-post': () => session,
    '/graphql': ({ body }) =>
      graphql({
        schema: remote,
        source: String(body.query),
        variableValues: (body.variables ?? {}) as Record<string, unknown>,
        rootValue: { reviews: [5] },
      }),
  });
  const database = await testDatabase({ sql });
  const environment = {
    RECEIVER: receiver.url,
    JOINERY_ADMIN_SECRET: 'hush',
    JOINERY_WEBHOOK_SIGNING_KEYS: `whsec_${Buffer.alloc(32, 'k').toString('base64')}`,
  };
  const services: TestService[] = [];
  const start = async (settings: Readonly<Record<string, string>>, one = database): Promise<TestService> => {
    const service = await startService({ ...environment, ...settings }, one);
    services.push(service);
    return service;
  };
  const at = (path: string) => receiver.calls.filter((call) => call.path === path);
  try {
    const service = await start({ JOINERY_AUTH_HOOK: `${receiver.url}/auth-get` });
    await define(service);
    await causeEvents(service);
    await changeDirectly(database.url);
    await causeCalls(service);
    const posting = await start({
      JOINERY_DATABASE_URL: pooled(database.url),
      JOINERY_AUTH_HOOK: `${receiver.url}/auth-post`,
      JOINERY_AUTH_HOOK_MODE: 'POST',
    });
    await posting.graphql('{ book { id } }', { authorization: 'Bearer token' });
    await until(
      'all deliveries have arrived',
      async () =>
        at('/scheduled').length > 0 &&
        at('/cron').length > 0 &&
        at('/trigger').length >= 5 &&
        at('/trigger-batch').length > 0 &&
        at('/asynchronous').length > 0,
    );
    return {
      'a scheduled event': at('/scheduled'),
      'a cron event': at('/cron'),
      'an event of a trigger': at('/trigger'),
      'a batch of events': at('/trigger-batch'),
      'an action': at('/action'),
      'an asynchronous action': at('/asynchronous'),
      'a batch of an action': at('/action-batch'),
      'a validation of input': at('/validate'),
      'an authentication by GET': at('/auth-get'),
      'an authentication by POST': at('/auth-post'),
      'an introspection of a remote schema': at('/graphql').filter(({ text }) => text.includes('__schema')),
      'a query of a remote schema': at('/graphql').filter(({ text }) => !text.includes('__schema')),
    };
  } finally {
    for (const service of services) await service.stop();
    await database.drop();
    await receiver.close();
  }
}

async function define(service: TestService): Promise<void> {
  const action = (name: string, path: string, definition: object = {}) => ({
    type: 'create_action',
    args: {
      name,
      definition: {
        type: 'query',
        arguments: [{ name: 'sku', type: 'String!' }],
        output_type: 'Quote',
        handler: `{{RECEIVER}}/${path}`,
        ...definition,
      },
    },
  });
  const check = { type: 'http', definition: { url: '{{RECEIVER}}/validate' } };
  const permission = (kind: string, one: object) => ({
    type: `pg_create_${kind}_permission`,
    args: { table: 'book', role: 'user', permission: one },
  });
  const trigger = (name: string, more: object = {}) => ({
    type: 'pg_create_event_trigger',
    args: {
      table: 'book',
      name,
      webhook: `{{RECEIVER}}/${name}`,
      insert: { columns: '*' },
      update: { columns: '*' },
      delete: { columns: '*' },
      ...more,
    },
  });
  await command(service, 'bulk', [
    { type: 'pg_track_table', args: { table: 'book' } },
    permission('select', { columns: '*', filter: {} }),
    permission('insert', { columns: '*', check: {}, validate_input: check }),
    permission('update', { columns: '*', filter: {}, validate_input: check }),
    permission('delete', { filter: {}, validate_input: check }),
    trigger('trigger', { enable_manual: true }),
    trigger('trigger-batch', { batch: { max_events: 10 } }),
    {
      type: 'set_custom_types',
      args: {
        objects: [
          {
            name: 'Quote',
            fields: [
              { name: 'sku', type: 'String!' },
              { name: 'cents', type: 'Int!' },
            ],
          },
        ],
      },
    },
    action('quote', 'action'),
    action('quotes', 'action-batch'),
    action('order', 'asynchronous', { type: 'mutation', kind: 'asynchronous' }),
    ...['quote', 'quotes', 'order'].map((name) => ({
      type: 'create_action_permission',
      args: { action: name, role: 'user' },
    })),
    { type: 'add_remote_schema', args: { name: 'reviews', definition: { url: '{{RECEIVER}}/graphql' } } },
    {
      type: 'pg_create_remote_relationship',
      args: {
        table: 'book',
        name: 'quote',
        definition: { to_action: { action: 'quotes', arguments: { sku: '$title' }, batch: { max_size: 100 } } },
      },
    },
  ]);
}

async function causeEvents(service: TestService): Promise<void> {
  await command(service, 'create_scheduled_event', {
    webhook: '{{RECEIVER}}/scheduled',
    schedule_at: '2020-01-01T00:00:00Z',
    payload: { order: 7 },
    comment: 'remind the customer',
    retry_conf: { tolerance_seconds: 1_000_000_000 },
  });
  await command(service, 'create_cron_trigger', {
    name: 'nightly',
    webhook: '{{RECEIVER}}/cron',
    schedule: '0 2 * * *',
    include_in_metadata: true,
    payload: { scope: 'all' },
    comment: 'closes the day',
  });
  await command(service, 'run_cron_trigger', { name: 'nightly' });
  const admin = { ...secret, 'x-service-user-id': '7' };
  await service.graphql('mutation { insert_book_one(object: { id: 2, title: "Tides" }) { id } }', admin);
  await service.graphql('mutation { update_book_by_pk(pk_columns: { id: 2 }, _set: { pages: 9 }) { id } }', admin);
  await service.graphql('mutation { delete_book_by_pk(id: 2) { id } }', admin);
  await command(service, 'pg_invoke_event_trigger', { name: 'trigger', source: 'default', payload: { id: 2 } });
}

/** A change by another client of the database, which has no session. */
async function changeDirectly(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('update book set pages = 61 where id = 1');
  await client.end();
}

async function causeCalls(service: TestService): Promise<void> {
  const asUser = { ...secret, ...user };
  const operations = [
    '{ quote(sku: "A1") { cents } book { id quote { cents } } }',
    'mutation { insert_book_one(object: { id: 3, title: "Reeds" }) { id } }',
    'mutation { update_book(where: { id: { _eq: 3 } }, _set: { pages: 5 }) { affected_rows } }',
    'mutation { delete_book(where: { id: { _eq: 3 } }) { affected_rows } }',
    'mutation { order(sku: "A1") }',
  ];
  for (const operation of operations) {
    const result = await service.graphql(operation, asUser);
    if ((result as { readonly errors?: unknown }).errors !== undefined) throw new Error(JSON.stringify(result));
  }
  await service.graphql('query Reviews($book: Int!) { reviews(book: $book) }', asUser, { book: 1 });
  await service.graphql('{ book { id } }', { authorization: 'Bearer token' });
}

async function command(service: TestService, type: string, args: unknown): Promise<void> {
  const response = await service.post('/v1/query', { type, args }, secret);
  if (response.status !== 200) throw new Error(`${type}: ${JSON.stringify(response.body)}`);
}
