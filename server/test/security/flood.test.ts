/** Floods of hostile requests and misbehaving websockets: the memory does not grow and the service continues to respond. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { pooled } from '../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';
import { until } from '../support/until.ts';
import { hostileRequests } from './hostile-requests.ts';

const admin = { 'x-service-admin-secret': 'open sesame' };
const headers = { 'content-type': 'application/json', ...admin };
const sql = `
  create table note (id int primary key, text text, up_id int references note);
  insert into note values (1, repeat('x', 100000), 1);
`;
/** Permitted growth of the heap in bytes. 4 kB for each of 20,000 requests would be more. */
const PERMITTED_GROWTH = 32 * 1024 * 1024;

let database: TestDatabase;
let service: ServiceProcess;

async function command(type: string, args: unknown): Promise<void> {
  const body = JSON.stringify({ type, args });
  const response = await fetch(`${service.url}/v1/metadata`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(`${type}: ${await response.text()}`);
}

beforeAll(async () => {
  database = await testDatabase({ sql });
  service = await startServiceProcess({
    JOINERY_DATABASE_URL: pooled(database.url),
    JOINERY_PORT: '0',
    JOINERY_LOG_LEVEL: 'warn',
    JOINERY_ADMIN_SECRET: 'open sesame',
    JOINERY_UNAUTHORIZED_ROLE: 'anyone',
    JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: 'a key that is long enough for a hash of 256 bits' }),
    JOINERY_MAX_BODY_BYTES: '1000000',
    JOINERY_WEBSOCKET_MAX_OPERATIONS: '5',
    JOINERY_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '1',
    JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  });
  await command('pg_track_table', { table: 'note' });
  await command('pg_create_object_relationship', {
    table: 'note',
    name: 'up',
    using: { foreign_key_constraint_on: 'up_id' },
  });
  const permission = { columns: ['id', 'text'], filter: {} };
  await command('pg_create_select_permission', { table: 'note', role: 'anyone', permission });
  const query = 'query ($text: String) { note(where: {text: {_eq: $text}}) { id } }';
  await command('create_query_collection', { name: 'c', definition: { queries: [{ name: 'named', query }] } });
  const definition = { query: { collection_name: 'c', query_name: 'named' } };
  await command('create_rest_endpoint', { name: 'one', url: 'named', methods: ['GET', 'POST'], definition });
  await command('create_rest_endpoint', { name: 'two', url: 'named/:text', methods: ['GET'], definition });
  const rate = { unique_params: ['X-Service-User-Id'], max_reqs_per_min: 1_000_000 };
  await command('set_api_limits', { rate_limit: { global: rate } });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

async function expectResponse(): Promise<void> {
  const body = JSON.stringify({ query: '{ note { id } }' });
  const response = await fetch(`${service.url}/v1/graphql`, { method: 'POST', body, headers });
  expect(await response.json()).toEqual({ data: { note: [{ id: 1 }] } });
  expect(service.ended()).toBe(false);
}

test('does not grow in memory with 20,000 hostile requests', { timeout: 900_000 }, async () => {
  const requests = hostileRequests(20_261_121, admin);
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  const send = async (count: number): Promise<void> => {
    let left = count;
    const sender = async (): Promise<void> => {
      while (left-- > 0) {
        const { kind, path, init } = requests.next().value;
        const response = await fetch(service.url + path, init);
        const text = await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        const failed =
          response.status >= 500 || /"code":"(unexpected|postgres-error)"|open sesame|polluted":(true|1)/.test(text);
        if (failed && failures.length < 10)
          failures.push(`${kind} ${path.slice(0, 200)} ${String(init.body).slice(0, 300)}: ${text.slice(0, 300)}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, sender));
  };
  // Fills the caches, which have a maximal size.
  await send(2_000);
  const before = await service.heap();
  await send(20_000);
  const after = await service.heap();
  expect(failures).toEqual([]);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));
  expect(after - before).toBeLessThan(PERMITTED_GROWTH);
  await expectResponse();
  expect(service.log()).not.toMatch(/"level":"error"/);
});

const openSockets = async (): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`, { headers: admin })).text();
  return Number(/^joinery_websocket_connections (\d+)/m.exec(text)?.[1]);
};

function socket(protocol = 'graphql-transport-ws'): Promise<WebSocket> {
  const opened = new WebSocket(`${service.url.replace('http', 'ws')}/v1/graphql`, [protocol]);
  return new Promise((resolve, reject) => {
    opened.once('open', () => resolve(opened));
    opened.once('error', reject);
    opened.on('error', () => undefined);
  });
}

test('does not grow in memory with websockets that send garbage, exceed limits, send nothing or never read', {
  timeout: 400_000,
}, async () => {
  const round = async (): Promise<void> => {
    const garbage = [
      '',
      '{',
      '[]',
      'null',
      '{"type":"__proto__"}',
      '{"type":"connection_init","payload":{"headers":{"__proto__":{"x-service-role":"admin"}}}}',
      '{"type":"subscribe","id":{"__proto__":1}}',
      `{"type":${'['.repeat(20_000)}`,
      randomBytes(2_000),
      'x'.repeat(100_000),
    ];
    const malformed = await Promise.all(
      Array.from({ length: 100 }, (_, n) => socket(n % 2 ? 'graphql-ws' : undefined)),
    );
    for (const [index, one] of malformed.entries()) {
      for (let n = 0; n < 10; n++) one.send(garbage[(index + n) % garbage.length] ?? '');
    }
    // Bytes that are not websocket frames, after a valid handshake.
    for (const one of await Promise.all(Array.from({ length: 20 }, () => socket()))) {
      (one as unknown as { _socket: { write(data: Buffer): void } })._socket.write(randomBytes(5_000));
    }
    const subscribers = await Promise.all(Array.from({ length: 50 }, () => connectedClient(service.url)));
    for (const [index, client] of subscribers.entries()) {
      for (let n = 0; n < 40; n++) {
        const query = `subscription { note(where: {id: {_gt: ${-index}}}) { id a${n}: text } }`;
        client.send({ id: String(n), type: 'subscribe', payload: { query } });
      }
      // Every other client never reads its results.
      if (index % 2 === 0) client.socket.pause();
    }
    const message = await subscribers[1]?.next();
    expect(message?.type).toBeOneOf(['next', 'error']);
    await expectResponse();
    for (const one of malformed) one.terminate();
    for (const { socket: one } of subscribers) one.terminate();
    await until('the sockets are closed', async () => (await openSockets()) === 0);
  };
  await round();
  const before = await service.heap();
  for (let n = 0; n < 5; n++) await round();
  const after = await service.heap();
  expect(after - before).toBeLessThan(PERMITTED_GROWTH);
  await expectResponse();
  expect(service.log()).not.toMatch(/"level":"error"/);
});
