/** Tests of the unmodified client `subscriptions-transport-ws`, which sends `start` directly after `connection_init`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { SubscriptionClient } from 'subscriptions-transport-ws';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { type FrameClient, frameClient } from '../../server/test/support/http/websocket-clients.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';

const sql = `
  create table note (id int primary key, body text not null);
  insert into note values (1, 'first');
`;
const secret = 'hush';
const key = 'a key that is long enough for a hash of 256 bits';

let database: TestDatabase;
let hook: Server;
let hookUrl = '';
let service: TestService;
const clients: SubscriptionClient[] = [];
const sockets: FrameClient[] = [];

beforeAll(async () => {
  database = await testDatabase({ sql });
  hook = createServer((request, response) => {
    const session = request.headers.authorization === undefined ? undefined : { 'X-Hasura-Role': 'user' };
    // Responds after the frames that the client sends at once.
    setTimeout(() => response.writeHead(session === undefined ? 401 : 200).end(JSON.stringify(session)), 50);
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
});

afterAll(async () => {
  hook?.close();
  await database?.drop();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close(true);
  await Promise.all(sockets.splice(0).map((socket) => socket.close()));
});

async function authorization(): Promise<string> {
  const claims = { 'x-hasura-allowed-roles': ['user'], 'x-hasura-default-role': 'user' };
  const token = new SignJWT({ 'https://hasura.io/jwt/claims': claims }).setProtectedHeader({ alg: 'HS256' });
  return `Bearer ${await token.sign(new TextEncoder().encode(key))}`;
}

function connect(connectionParams: object): SubscriptionClient {
  const url = `${service.url.replace(/^http/, 'ws')}/v1/graphql`;
  // By default the client ends a connection that is not open after a second, without an error for its operations.
  const timeouts = { minTimeout: 50_000, timeout: 60_000 };
  const client = new SubscriptionClient(url, { connectionParams, ...timeouts }, WebSocket);
  clients.push(client);
  return client;
}

/** Resolves with the first `count` results, and then ends the operation. */
function results(
  client: SubscriptionClient,
  query: string,
  { count = 1, after = async () => undefined as unknown } = {},
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const received: unknown[] = [];
    const { unsubscribe } = client.request({ query }).subscribe({
      next: (result) => {
        received.push(result);
        if (received.length < count) after().catch(reject);
        else {
          unsubscribe();
          resolve(received);
        }
      },
      error: reject,
    });
  });
}

describe.each([
  ['a webhook', () => ({ JOINERY_AUTH_HOOK: hookUrl })],
  ['a token', () => ({ JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }) })],
])('subscriptions-transport-ws with a session from %s', (_title, environment) => {
  beforeAll(async () => {
    const live = { JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30' };
    service = await startService(
      { JOINERY_HEADER_PREFIX: 'X-Hasura-', JOINERY_ADMIN_SECRET: secret, ...live, ...environment() },
      database,
    );
    const admin = { 'x-hasura-admin-secret': secret };
    await service.post('/v1/metadata', { type: 'pg_track_table', args: { table: 'note' } }, admin);
    const permission = { columns: ['body'], filter: {} };
    const args = { table: 'note', role: 'user', permission };
    await service.post('/v1/metadata', { type: 'pg_create_select_permission', args }, admin);
  });

  afterAll(() => service?.stop());

  test('receives the result of an operation that it sends before the acknowledgment', async () => {
    const headers = { authorization: await authorization() };
    const tries = Array.from({ length: 12 }, () => results(connect({ headers }), '{ note { body } }'));
    const expected = [{ data: { note: [{ body: 'first' }] } }];
    expect(await Promise.all(tries)).toEqual(tries.map(() => expected));
  });

  test('receives a second result of a live query when the row changes', async () => {
    const client = connect({ headers: { authorization: await authorization() } });
    const write = (body: string) => database.database.query({ text: 'update note set body = $1', values: [body] });
    const received = await results(client, 'subscription { note { body } }', {
      count: 2,
      after: () => write('second'),
    });
    await write('first');
    expect(received).toEqual([{ data: { note: [{ body: 'first' }] } }, { data: { note: [{ body: 'second' }] } }]);
  });

  test('receives a connection error, and no result, when its session is rejected', async () => {
    const client = connect({ headers: {} });
    const outcome = new Promise((resolve) => {
      client.onError(resolve);
      client.request({ query: '{ note { body } }' }).subscribe({ next: resolve, error: resolve });
      client.onDisconnected(() => resolve('disconnected'));
    });
    expect(await outcome).toBe('disconnected');
  });

  test('its frames are handled in order: a stop ends the operation that was started before it', async () => {
    const socket = await frameClient(service.url, { protocol: 'graphql-ws' });
    sockets.push(socket);
    const headers = { authorization: await authorization() };
    socket.send({ type: 'connection_init', payload: { headers } });
    socket.send({ id: '1', type: 'start', payload: { query: 'subscription { note { body } }' } });
    socket.send({ id: '1', type: 'stop' });
    socket.send({ id: '2', type: 'start', payload: { query: '{ __typename }' } });
    expect(await socket.next()).toEqual({ type: 'connection_ack' });
    const seen = [await socket.next()];
    while (seen.at(-1)?.type !== 'complete' || seen.at(-1)?.id !== '2') seen.push(await socket.next());
    expect(seen.filter(({ id, type }) => id === '1' && type === 'data')).toEqual([]);
    expect(seen).toContainEqual({ id: '2', type: 'data', payload: { data: { __typename: 'query_root' } } });
  });
});
