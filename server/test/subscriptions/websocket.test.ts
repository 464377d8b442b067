/** The websocket protocols frame by frame: authentication, limits, slow clients and closing. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClientOptions,
  connectedClient,
  type FrameClient,
  frameClient,
} from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null);
  create table blob (id int primary key, body text not null);
  insert into author values (1, 'Ada'), (2, 'Bea');
  insert into blob values (1, repeat('x', 200000));
`;
const secret = 'open sesame';
const legacy = { protocol: 'graphql-ws' };

let service: TestService;
const clients: FrameClient[] = [];

beforeAll(async () => {
  service = await startService(
    {
      JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
      JOINERY_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '1',
      JOINERY_WEBSOCKET_KEEPALIVE: '1',
      JOINERY_WEBSOCKET_MAX_OPERATIONS: '3',
      JOINERY_MAX_BODY_BYTES: '4000',
      JOINERY_ADMIN_SECRET: secret,
      JOINERY_CORS_DOMAIN: 'https://*.example.com',
    },
    { sql },
  );
  const args = { source: 'default' };
  for (const name of ['author', 'blob']) {
    const body = { type: 'pg_track_table', args: { ...args, table: name } };
    expect((await service.post('/v1/metadata', body, { 'x-service-admin-secret': secret })).status).toBe(200);
  }
  await service.post(
    '/v1/metadata',
    {
      type: 'pg_create_select_permission',
      args: {
        ...args,
        table: 'author',
        role: 'user',
        permission: { columns: ['name'], filter: { id: 'X-Service-Id' } },
      },
    },
    { 'x-service-admin-secret': secret },
  );
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => service?.stop());

async function open(options: ClientOptions = {}): Promise<FrameClient> {
  const client = await frameClient(service.url, options);
  clients.push(client);
  return client;
}

async function connected(options: ClientOptions = {}, headers: object = {}): Promise<FrameClient> {
  const client = await connectedClient(service.url, { 'x-service-admin-secret': secret, ...headers }, options);
  clients.push(client);
  return client;
}

describe.each([
  ['graphql-transport-ws', { protocol: 'graphql-transport-ws' }, 'subscribe'],
  ['graphql-ws', legacy, 'start'],
  ['no protocol (the legacy one)', { protocol: '' }, 'start'],
])('with %s', (_name, options, start) => {
  const first = start === 'start' ? 'data' : 'next';

  it('reads the session from the headers of connection_init, ignoring case', async () => {
    const client = await connected(options, { 'X-SERVICE-ROLE': 'user', 'X-Service-Id': 2 });
    client.send({ id: '1', type: start, payload: { query: 'subscription { author { name } }' } });
    expect(await client.next()).toEqual({ id: '1', type: first, payload: { data: { author: [{ name: 'Bea' }] } } });
  });

  it('reads the session from the headers of the upgrade request if connection_init has none', async () => {
    const headers = { 'x-service-admin-secret': secret, 'x-service-role': 'user', 'x-service-id': '1' };
    const client = await open({ ...options, headers });
    client.send({ type: 'connection_init' });
    expect(await client.next()).toEqual({ type: 'connection_ack' });
    client.send({ id: '1', type: start, payload: { query: '{ author { name } }' } });
    expect(await client.next()).toMatchObject({ payload: { data: { author: [{ name: 'Ada' }] } } });
    expect(await client.next()).toEqual({ id: '1', type: 'complete' });
  });

  it('closes the socket after a wrong secret', async () => {
    const client = await open(options);
    client.send({ type: 'connection_init', payload: { headers: { 'x-service-admin-secret': 'guess' } } });
    if (start === 'start') expect(await client.next()).toMatchObject({ type: 'connection_error' });
    const code = start === 'start' ? 4400 : 4403;
    expect(await client.closed).toMatchObject({ code, reason: expect.stringContaining('admin-secret') });
  });

  it('closes the socket of a client that does not send connection_init', async () => {
    const client = await open(options);
    expect(await client.closed).toMatchObject({ code: start === 'start' ? 1011 : 4408 });
  });

  it('closes the socket after a second connection_init', async () => {
    const client = await connected(options);
    client.send({ type: 'connection_init' });
    expect(await client.closed).toMatchObject({ code: 4429 });
  });

  it('sends heartbeats', async () => {
    const client = await connected(options);
    const types = new Set<unknown>();
    while (!types.has('ka') && !types.has('ping')) types.add((await client.nextOfAny()).type);
    client.send({ type: 'pong' });
    expect([...types]).toEqual([start === 'start' ? 'ka' : 'ping']);
  });

  it('closes the socket after a message over the limit', async () => {
    const client = await connected(options);
    client.send({ id: '1', type: start, payload: { query: `{ author { name } } # ${'x'.repeat(5000)}` } });
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  it('limits the number of open operations', async () => {
    const client = await connected(options);
    for (const id of ['a', 'b', 'c']) {
      client.send({ id, type: start, payload: { query: 'subscription { author { name } }' } });
      expect(await client.next()).toMatchObject({ id, type: first });
    }
    client.send({ id: 'd', type: start, payload: { query: '{ author { name } }' } });
    expect(await client.next()).toMatchObject({ id: 'd', type: 'error' });
    client.send({ id: 'a', type: start === 'start' ? 'stop' : 'complete' });
    if (start === 'start') expect(await client.next()).toMatchObject({ id: 'd', type: 'complete' });
    client.send({ id: 'e', type: start, payload: { query: '{ author { name } }' } });
    expect(await client.next()).toMatchObject({ id: 'e', type: first });
  });

  it('returns an execution error as a result, and a validation error as an error', async () => {
    const client = await connected(options, { 'x-service-role': 'user', 'x-service-id': 'no-number' });
    client.send({ id: 'late', type: start, payload: { query: '{ author { name } }' } });
    expect(await client.next()).toMatchObject({
      id: 'late',
      type: first,
      payload: { data: null, errors: [{ extensions: { code: 'data-exception', path: '$.selectionSet.author' } }] },
    });
    expect(await client.next()).toEqual({ id: 'late', type: 'complete' });
    client.send({ id: 'early', type: start, payload: { query: '{ nothing }' } });
    const errors = [
      { message: expect.any(String), extensions: { code: 'validation-failed', path: '$.selectionSet.nothing' } },
    ];
    expect(await client.next()).toEqual({
      id: 'early',
      type: 'error',
      payload: start === 'start' ? { errors } : errors,
    });
  });
});

describe('graphql-transport-ws', () => {
  it('closes the socket after an operation before connection_init, a duplicate id, or an invalid message', async () => {
    const early = await open();
    early.send({ id: '1', type: 'subscribe', payload: { query: '{ author { name } }' } });
    expect(await early.closed).toMatchObject({ code: 4401 });

    const twice = await connected();
    const message = { id: '1', type: 'subscribe', payload: { query: 'subscription { author { name } }' } };
    twice.send(message);
    await twice.next();
    twice.send(message);
    expect(await twice.closed).toMatchObject({ code: 4409 });

    for (const text of ['{"type":', '[]', '{"type":"subscribe","id":7}', '{"type":"nothing"}']) {
      const client = await connected();
      client.send(text);
      expect(await client.closed).toMatchObject({ code: 4400 });
    }
  });

  it('responds to a ping with a pong', async () => {
    const client = await connected();
    client.send({ type: 'ping', payload: { at: 1 } });
    expect(await client.next()).toEqual({ type: 'pong', payload: { at: 1 } });
  });
});

describe('the legacy protocol graphql-ws', () => {
  it('responds to messages out of order with an error and continues', async () => {
    const client = await open(legacy);
    client.send({ id: '1', type: 'start', payload: { query: '{ author { name } }' } });
    expect(await client.next()).toMatchObject({ id: '1', type: 'error' });
    expect(await client.next()).toEqual({ id: '1', type: 'complete' });
    client.send({ type: 'connection_init', payload: { headers: { 'x-service-admin-secret': secret } } });
    expect(await client.next()).toEqual({ type: 'connection_ack' });
    client.send('not a message');
    expect(await client.next()).toMatchObject({ type: 'connection_error' });
    const start = { id: '1', type: 'start', payload: { query: 'subscription { author_by_pk(id: 1) { name } }' } };
    client.send(start);
    expect(await client.next()).toMatchObject({ id: '1', type: 'data' });
    client.send(start);
    expect(await client.next()).toMatchObject({
      id: '1',
      type: 'error',
      payload: { message: expect.stringContaining('already exists'), extensions: { code: 'start-failed' } },
    });
    await service.database.database.query({ text: `update author set name = 'Eve' where id = 1`, values: [] });
    expect(await client.next()).toMatchObject({
      id: '1',
      type: 'data',
      payload: { data: { author_by_pk: { name: 'Eve' } } },
    });
    await service.database.database.query({ text: `update author set name = 'Ada' where id = 1`, values: [] });
    client.send({ type: 'connection_terminate' });
    expect(await client.closed).toMatchObject({ code: 1000 });
  });
});

describe('the upgrade request', () => {
  it.each([
    ['another path', { path: '/v1/other' }, '404'],
    ['a forbidden origin', { headers: { origin: 'https://evil.test' } }, '403'],
  ])('is rejected for %s', async (_what, options, status) => {
    await expect(frameClient(service.url, options)).rejects.toThrow(status);
  });

  it('is accepted for a permitted origin, and rejected for an unknown protocol', async () => {
    await open({ headers: { origin: 'https://shop.example.com' } });
    await open({ headers: { origin: service.url } });
    await expect(frameClient(service.url, { protocol: 'soap' })).rejects.toThrow();
  });
});

describe('a client that does not read', () => {
  it('gets only the latest result when it reads again', async () => {
    const client = await connected();
    const query = 'subscription { blob { id body } }';
    client.send({ id: '1', type: 'subscribe', payload: { query } });
    await client.next();
    client.socket.pause();
    const { database } = service.database;
    const rounds = 200;
    for (let round = 1; round <= rounds; round += 1) {
      const text = "update blob set body = $1 || repeat('y', 200000)";
      await database.query({ text, values: [`${round}:`] });
    }
    client.socket.resume();
    const seen: string[] = [];
    while (!seen.at(-1)?.startsWith(`${rounds}:`)) {
      const frame = await client.next();
      const { data } = frame.payload as { data: { blob: { body: string }[] } };
      seen.push(data.blob[0]?.body.slice(0, 10) ?? '');
    }
    expect(seen.length).toBeLessThan(rounds);
  });

  it('does not delay the results of others', async () => {
    const slow = await connected();
    slow.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { blob { body } }' } });
    slow.send({
      id: '2',
      type: 'subscribe',
      payload: { query: 'subscription { author(order_by: {id: asc}) { name } }' },
    });
    slow.socket.pause();
    const client = await connected();
    client.send({
      id: '1',
      type: 'subscribe',
      payload: { query: 'subscription { author(order_by: {id: asc}) { name } }' },
    });
    await client.next();
    await service.database.database.query({ text: `update author set name = 'Bo' where id = 2`, values: [] });
    expect(await client.next()).toMatchObject({ payload: { data: { author: [{ name: 'Ada' }, { name: 'Bo' }] } } });
    await service.database.database.query({ text: `update author set name = 'Bea' where id = 2`, values: [] });
    slow.socket.resume();
  });
});

describe('closing', () => {
  it('of the service closes the sockets', async () => {
    const other = await startService({}, { sql });
    await other.command('track_table', { schema: 'public', name: 'author' });
    const client = await connectedClient(other.url);
    const legacyClient = await connectedClient(other.url, {}, legacy);
    client.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { author { name } }' } });
    await client.next();
    await other.stop();
    expect(await client.closed).toMatchObject({ code: 1001 });
    expect(await legacyClient.closed).toMatchObject({ code: 1001 });
  });

  it('of a connection without a close frame does not affect other connections', async () => {
    const client = await connected();
    client.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { author { name } }' } });
    await client.next();
    client.socket.terminate();
    const url = new URL(service.url);
    const raw = connect(Number(url.port), url.hostname);
    await once(raw, 'connect');
    raw.write('GET /v1/graphql HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    const [response] = await once(raw, 'data');
    expect(String(response)).toMatch(/^HTTP\/1.1 400/);
    raw.destroy();
    const healthy = await connected();
    healthy.send({ id: '1', type: 'subscribe', payload: { query: '{ author_by_pk(id: 2) { name } }' } });
    expect(await healthy.next()).toMatchObject({ type: 'next' });
  });
});
