/** Runs the command blocks of the pages on moving from Hasura v2, in a project as the Hasura CLI writes it. */
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { hasuraEventTables, hasuraTrigger } from '../../server/test/support/events/hasura-events.ts';
import { freePort } from '../../server/test/support/http/free-port.ts';
import { startGraphQLServer } from '../../server/test/support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../../server/test/support/http/handler-server.ts';
import { until } from '../../server/test/support/until.ts';
import { hasuraProject } from './projects/hasura-project.ts';
import { partsOf, Terminals } from './support/page.ts';
import { writeFiles } from './support/running-command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const SECRET = 'the-admin-secret';
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Scene {
  readonly folder: string;
  readonly shop: TestDatabase;
  readonly billing: TestDatabase;
  readonly handlers: HandlerServer;
  readonly environment: Readonly<Record<string, string>>;
}

/** Writes the project and starts what it calls. `port` is that of `config.yaml`. */
async function createScene(port: number): Promise<Scene> {
  const [shop, billing] = [await testDatabase(), await testDatabase()];
  endings.push(shop.drop, billing.drop);
  const handlers = await startHandlerServer({
    '/place-order': () => ({ order_id: 1 }),
    '/order-placed': () => ({}),
  });
  const remote = await startGraphQLServer(carrier, {
    shipment: ({ order }: { readonly order: number }) => ({ code: `S${order}` }),
  });
  endings.push(handlers.close, remote.close);
  const folder = await mkdtemp(join(tmpdir(), 'joinery-hasura-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bin'));
  await symlink(join(root, 'cli/bin/joinery.mjs'), join(folder, 'bin/joinery'));
  await writeFiles(folder, hasuraProject(`http://127.0.0.1:${port}`, SECRET));
  const environment = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
    HOME: process.env.HOME ?? '',
    HASURA_GRAPHQL_DATABASE_URL: shop.url,
    HASURA_GRAPHQL_ADMIN_SECRET: SECRET,
    HASURA_GRAPHQL_SERVER_PORT: String(port),
    HASURA_GRAPHQL_ENABLE_TELEMETRY: 'false',
    BILLING_DATABASE_URL: billing.url,
    HANDLER_URL: handlers.url,
    CARRIER_URL: remote.url,
  };
  return { folder, shop, billing, handlers, environment };
}

const carrier = 'type Query { shipment(order: Int!): Shipment } type Shipment { code: String! }';

async function requestAs(role: string, port: number, query: string, more: object = {}): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-hasura-admin-secret': SECRET,
      'x-hasura-role': role,
      'x-hasura-user-id': '7',
    },
    body: JSON.stringify({ query, ...more }),
  });
  return response.json();
}

async function rowsOf({ database }: TestDatabase, text: string): Promise<unknown> {
  return (await database.query({ text, values: [] })).rows;
}

it('the commands of docs/from-hasura.md start an existing project', async () => {
  const port = await freePort();
  const { folder, shop, billing, environment } = await createScene(port);
  const terminals = new Terminals({ folder, environment });
  endings.push(() => terminals.interrupt());
  let blocks = 0;
  for (const part of partsOf(await readFile(join(root, 'docs/from-hasura.md'), 'utf8'))) {
    if (part.kind === 'prose' && part.text.includes('## A fresh database')) {
      await writeFiles(folder, {
        'migrations/default/1600000000300_clean/up.sql': 'delete from hdb_catalog.event_log where delivered;\n',
      });
    }
    if (part.kind !== 'commands') continue;
    await terminals.run(part.text);
    blocks += 1;
  }
  expect(blocks).toBe(6);
  expect(await rowsOf(shop, 'select count(*)::int::text from joinery.database_migrations where version > 0')).toEqual([
    ['3'],
  ]);
  expect(await rowsOf(billing, 'select number from invoice')).toEqual([['F-1']]);
  expect(await requestAs('customer', port, '{ orders { id note shipment { code } } }')).toEqual({
    data: { orders: [{ id: 1, note: 'mine', shipment: { code: 'S1' } }] },
  });
  expect(await requestAs('clerk', port, '{ orders(order_by: { id: asc }) { id } invoice { number } }')).toEqual({
    data: { orders: [{ id: 1 }, { id: 2 }], invoice: [{ number: 'F-1' }] },
  });
  expect(await requestAs('customer', port, 'mutation { placeOrder(note: "new") { order_id order { note } } }')).toEqual(
    {
      data: { placeOrder: { order_id: 1, order: { note: 'mine' } } },
    },
  );
  const rest = await fetch(`http://127.0.0.1:${port}/api/rest/orders/2`, {
    headers: { 'x-hasura-admin-secret': SECRET },
  });
  expect(await rest.json()).toEqual({ orders_by_pk: { note: 'other' } });
  expect(await rowsOf(shop, `select to_regnamespace('hdb_catalog')`)).toEqual([[null]]);
}, 300_000);

it('the commands of docs/from-hasura-move.md move a production database', async () => {
  const [old, own] = [await freePort(), await freePort()];
  const { folder, shop, billing, handlers, environment } = await createScene(old);
  const terminals = new Terminals({ folder, environment });
  endings.push(() => terminals.interrupt());
  await shop.database.query({ text: 'create extension pgcrypto', values: [] });
  for (const [database, name] of [
    [shop, 'default/1600000000100_orders'],
    [shop, 'default/1600000000200_notes'],
    [billing, 'billing/1600000000100_invoice'],
  ] as const) {
    const text = await readFile(join(folder, `migrations/${name}/up.sql`), 'utf8');
    await database.database.query({ text, values: [] });
  }
  await shop.database.query({
    text: `${hasuraCatalog}${hasuraEventTables}${hasuraTrigger('order_placed', 'orders', ['INSERT'])}`,
    values: [],
  });
  const placeOrder = (owner: number): Promise<unknown> =>
    rowsOf(shop, `insert into orders (owner_id) values (${owner})`);
  await placeOrder(1);
  // In place of Hasura v2.
  const responses = createServer((_request, response) => {
    response.end(JSON.stringify({ data: { orders: [{ id: 1 }] } }));
  });
  await new Promise<void>((resolve) => {
    responses.listen(old, '127.0.0.1', resolve);
  });
  endings.push(async () => responses.close());
  await writeFiles(folder, { 'operations/one.json': JSON.stringify({ query: '{ orders { id } }', role: 'clerk' }) });
  const page = await readFile(join(root, 'docs/from-hasura-move.md'), 'utf8');
  let printed = '';
  for (const part of partsOf(page.replaceAll('8081', String(own)).replaceAll('127.0.0.1:8080', `127.0.0.1:${old}`))) {
    if (part.kind === 'prose' && part.text.includes('Then stop the service')) {
      await terminals.interrupt();
      await placeOrder(2);
    }
    if (part.kind === 'commands') printed += await terminals.run(part.text);
  }
  expect(printed).toContain('0 different');
  expect(printed).toMatch(/moved\s+-+\s+1\s/);
  expect(
    await rowsOf(
      shop,
      'select webhook, payload::text, comment from joinery.scheduled_events where trigger_name is null',
    ),
  ).toEqual([['https://example.com/remind', '{"a": 1}', 'renewal']]);
  expect(await rowsOf(shop, 'select count(*)::int::text from joinery.database_migrations where version > 0')).toEqual([
    ['2'],
  ]);
  expect(await rowsOf(shop, 'select count(*)::int::text from hdb_catalog.hdb_scheduled_events')).toEqual([['2']]);
  await placeOrder(3);
  await until('the webhook is called for each order', () => placed(handlers).length >= 3);
  expect(
    placed(handlers)
      .map(([owner]) => owner)
      .sort(),
  ).toEqual([1, 2, 3]);
  const moved = (await rowsOf(shop, 'select id from hdb_catalog.event_log where archived')) as string[][];
  expect(moved.map(([id]) => id).sort()).toEqual(
    placed(handlers)
      .flatMap(([owner, id]) => (owner === 3 ? [] : [id]))
      .sort(),
  );
}, 300_000);

/** The owner of the order and the id of the event of each call of the event trigger. */
function placed({ calls }: HandlerServer): readonly (readonly [number, string])[] {
  return calls
    .filter(({ path }) => path === '/order-placed')
    .map(({ body }) => {
      const { id, event } = body as {
        readonly id: string;
        readonly event: { readonly data: { readonly new: { readonly owner_id: number } } };
      };
      return [event.data.new.owner_id, id];
    });
}

/** The tables of Hasura v2 that the page reads, with a pending and a delivered event. */
const hasuraCatalog = `
  create schema hdb_catalog;
  create table hdb_catalog.hdb_scheduled_events (id text, webhook_conf json not null, scheduled_time timestamptz not null,
    retry_conf json, payload json, header_conf json, status text not null default 'scheduled', tries int not null default 0,
    created_at timestamp default now(), next_retry_at timestamptz, comment text);
  insert into hdb_catalog.hdb_scheduled_events (id, webhook_conf, scheduled_time, payload, retry_conf, status, comment) values
    ('e-1', '"https://example.com/remind"', '2099-01-01', '{"a": 1}', '{"num_retries": 2}', 'scheduled', 'renewal'),
    ('e-2', '"https://example.com/remind"', '2020-01-01', null, null, 'delivered', null);`;
