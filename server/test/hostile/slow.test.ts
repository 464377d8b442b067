/**
 * Requests and responses that arrive slowly and never end: the limits of the service end them, it stays healthy, and their connections
 * are released.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type BuiltService, startBuiltService } from '../support/service/built-service.ts';
import { until } from '../support/until.ts';
import { adminSecret, sendHttp } from './senders.ts';
import { drip, startUpstream, type Upstream } from './upstream.ts';

/** Each is sent this many times at once. */
const CLIENTS = 10;
const PROBE_INTERVAL_MS = 50;
const secret = `x-service-admin-secret: ${adminSecret}\r\n`;

interface SlowRequest {
  readonly name: string;
  readonly start: string;
  readonly filler: string;
}

const post = (path: string, headers: string): string => `POST ${path} HTTP/1.1\r\nHost: h\r\n${secret}${headers}`;
const json = 'Content-Type: application/json\r\n';
const requests: readonly SlowRequest[] = [
  ...['/v1/graphql', '/v1/metadata', '/api/rest/x'].map((path) => ({
    name: `a body that arrives byte by byte at ${path}`,
    start: post(path, `${json}Content-Length: 60000\r\n\r\n`),
    filler: ' ',
  })),
  {
    name: 'chunks of a body without an end',
    start: post('/v1/graphql', `${json}Transfer-Encoding: chunked\r\n\r\n`),
    filler: '1\r\n \r\n',
  },
  { name: 'headers without an end', start: post('/v1/graphql', ''), filler: 'X-A: b\r\n' },
  { name: 'a header without an end', start: post('/v1/graphql', 'X-A: '), filler: 'b' },
  { name: 'a path without an end', start: 'GET /', filler: 'a' },
  { name: 'a body that never arrives', start: post('/v1/graphql', `${json}Content-Length: 100\r\n\r\n`), filler: '' },
  {
    name: 'a websocket whose first message has no end',
    start: `GET /v1/graphql HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n\x01\x81\x00\x00\x00\x00 `,
    filler: '\x00\x81\x00\x00\x00\x00 ',
  },
];

let database: TestDatabase;
let service: BuiltService;
let upstream: Upstream;
/** The statuses of the responses to each slow request, after its connection was closed; 0 where there was none. */
const statuses = new Map<string, readonly number[]>();
const failedProbes: string[] = [];
let openBefore = 0;

/** Returns the number of sockets of the service; undefined where the system does not list them. */
function sockets(): number | undefined {
  const folder = `/proc/${service.pid()}/fd`;
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

/** Sends the request until the service closes the connection. Returns the status of the response. */
async function sendSlowly({ start, filler }: SlowRequest): Promise<number> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: unknown) => {
    received += String(text);
  });
  await once(socket, 'connect');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  void drip(socket, Buffer.from(start, 'latin1'), filler);
  await closed;
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
}

async function probe(ended: () => boolean): Promise<void> {
  while (!ended()) {
    const status = await fetch(`${service.url}/healthz`).then(
      (response) => response.status,
      (error: unknown) => String(error),
    );
    if (status !== 200) failedProbes.push(String(status));
    await sleep(PROBE_INTERVAL_MS);
  }
}

beforeAll(async () => {
  database = await testDatabase();
  upstream = await startUpstream();
  service = await startBuiltService({
    JOINERY_DATABASE_URL: database.url,
    JOINERY_ADMIN_SECRET: adminSecret,
    JOINERY_UNAUTHORIZED_ROLE: 'anyone',
  });
  const output = [{ name: 'Reply', fields: [{ name: 'text', type: 'String' }] }];
  await service.command('set_custom_types', { objects: output });
  const handler = { kind: 'synchronous', type: 'query', handler: `${upstream.url}/`, output_type: 'Reply', timeout: 2 };
  await service.command('create_action', { name: 'greet', definition: handler });
  await service.command('create_action_permission', { action: 'greet', role: 'anyone' });
  const remote = { url: `${upstream.url}/`, timeout_seconds: 2 };
  await service.command('add_remote_schema', { name: 'remote', definition: remote });
  let ended = false;
  const probing = probe(() => ended);
  await fetch(`${service.url}/healthz`);
  openBefore = sockets() ?? 0;
  await Promise.all(
    requests.map(async (request) => {
      statuses.set(request.name, await Promise.all(Array.from({ length: CLIENTS }, () => sendSlowly(request))));
    }),
  );
  ended = true;
  await probing;
}, 300_000);
afterAll(async () => {
  await service?.kill();
  await upstream?.close();
  await database?.drop();
});

test.each(requests.map(({ name }) => name))('the service closes a connection with %s', (name) => {
  const expected = name.includes('websocket') ? [101] : name.includes('/api/rest/') ? [404, 408, 0] : [408, 0];
  expect(expected).toEqual(expect.arrayContaining([...new Set(statuses.get(name))]));
});

test('the service stays healthy while it receives slow requests', () => {
  expect(failedProbes).toEqual([]);
});

test('the connections of slow requests are released', async () => {
  await until('the sockets are closed', () => (sockets() ?? 0) <= openBefore + 5);
});

describe.each([
  ['a status line', '', 'HTTP/1.1 200 a'],
  ['headers', 'HTTP/1.1 200 a\r\n', 'X-A: b\r\n'],
  ['a body', 'HTTP/1.1 200 a\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n', ' '],
  [
    'a chunked body',
    'HTTP/1.1 200 a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    '1\r\n \r\n',
  ],
])('a response with %s without an end', (_what, start, filler) => {
  const graphql = (query: string) =>
    sendHttp(service.url, { name: '', expect: '', to: 'graphql', query, headers: { accept: 'application/json' } });

  test('fails the action, and its connection is closed', async () => {
    upstream.dripWith(start, filler);
    expect(await graphql('{ greet { text } }')).toBe('200 unexpected');
    await until('the connection is closed', () => upstream.connections() === 0);
  });

  test('fails the field of the remote schema, and its connection is closed', async () => {
    upstream.dripWith(start, filler);
    const query = '{ item { id } }';
    const headers = { 'x-service-admin-secret': adminSecret };
    const outcome = await sendHttp(service.url, { name: '', expect: '', to: 'graphql', query, headers });
    expect(outcome).toBe('200 remote-schema-error');
    await until('the connection is closed', () => upstream.connections() === 0);
  });

  test('fails the call of the webhook, and its connection is closed', async () => {
    upstream.dripWith(start, filler);
    const { event_id } = (await service.command('create_scheduled_event', {
      webhook: `${upstream.url}/`,
      schedule_at: '2000-01-01T00:00:00Z',
      payload: {},
      retry_conf: { num_retries: 0, timeout_seconds: 2, tolerance_seconds: 2_000_000_000 },
    })) as { readonly event_id: string };
    const status = await until('the event has been attempted', async () => {
      const { event } = (await service.command('get_scheduled_event', { event_id })) as {
        readonly event?: { readonly status: string };
      };
      return event !== undefined && !['scheduled', 'locked'].includes(event.status) ? event.status : undefined;
    });
    expect(status).toBe('error');
    await until('the connection is closed', () => upstream.connections() === 0);
  });
});
