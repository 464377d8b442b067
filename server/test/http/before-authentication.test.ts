/** Limits before authentication: bodies, websocket messages and slow requests. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/base/telemetry/metrics.ts';
import { untraced } from '../../src/base/telemetry/trace.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createHttpServer, type HttpParts, type HttpServer } from '../../src/http/server.ts';
import { httpSettings } from '../../src/startup/settings.ts';
import { type FrameClient, frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret of this test';
const kilobyte = 1_000;

let service: TestService;
const clients: FrameClient[] = [];

beforeAll(async () => {
  service = await startService({ JOINERY_ADMIN_SECRET: secret, JOINERY_UNAUTHORIZED_ROLE: 'anonymous' });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => service?.stop());

/** Sends the headers and the first byte of a body of 10 MB, and resolves with the response. */
function sendStart(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 10_000 * kilobyte, ...headers },
    });
    sent.on('response', async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      sent.destroy();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
    sent.on('error', reject);
    sent.write('[');
  });
}

describe('a request whose body has not arrived', () => {
  const wrong = { 'x-service-admin-secret': 'wrong' };

  it.each(['/v1/metadata', '/v1/query', '/v2/query', '/api/rest/notes'])(
    'is rejected by %s with a wrong secret',
    async (path) => {
      expect(await sendStart(path, wrong)).toMatchObject({ status: 401, body: { code: 'access-denied' } });
    },
  );

  it.each(['/v1/graphql', '/v1alpha1/graphql', '/v1/graphql/explain'])(
    'is rejected by %s with a wrong secret as a GraphQL error',
    async (path) => {
      const { body } = await sendStart(path, { ...wrong, accept: 'application/graphql-response+json' });
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'access-denied' } }] });
    },
  );

  it('is rejected by /v1/metadata for a role other than admin', async () => {
    expect(await sendStart('/v1/metadata', {})).toMatchObject({
      status: 400,
      body: { code: 'access-denied', path: '$.args' },
    });
  });

  it('is rejected by /v1/graphql/explain for a role other than admin', async () => {
    const { body } = await sendStart('/v1/graphql/explain', {});
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'access-denied' } }] });
  });
});

describe.each([
  ['graphql-transport-ws', 'subscribe', 'next'],
  ['graphql-ws', 'start', 'data'],
])('a message of the protocol %s', (protocol, start, first) => {
  const open = async () => {
    const client = await frameClient(service.url, { protocol });
    clients.push(client);
    return client;
  };
  const init = (size: number) => ({
    type: 'connection_init',
    payload: { headers: { 'x-service-admin-secret': secret }, padding: 'x'.repeat(size) },
  });

  it('closes the connection when it has more than 64 kB before the acknowledgment', async () => {
    const client = await open();
    client.send(init(66 * kilobyte));
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  it('closes the connection before it has arrived as a whole', async () => {
    const client = await open();
    for (let part = 0; part < 30; part += 1) client.socket.send('x'.repeat(10 * kilobyte), { fin: false });
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  it('closes the connection when many small ones have arrived before the acknowledgment', async () => {
    const client = await open();
    // A message that neither protocol rejects with a close.
    const message = JSON.stringify({ type: protocol === 'graphql-ws' ? 'stop' : 'pong', padding: 'x'.repeat(50_000) });
    for (let count = 0; count < 30; count += 1) client.send(message);
    expect(await client.closed).toMatchObject({ code: 1009 });
  });

  it('may have 60 kB before the acknowledgment and more after it', async () => {
    const client = await open();
    client.send(init(60 * kilobyte));
    expect(await client.next()).toMatchObject({ type: 'connection_ack' });
    const query = `{ __typename } #${'x'.repeat(200 * kilobyte)}`;
    client.send({ id: '1', type: start, payload: { query } });
    expect(await client.next()).toMatchObject({ id: '1', type: first });
  });
});

describe('a connection that does not send its request in time', () => {
  let server: HttpServer;
  let url: URL;

  beforeAll(async () => {
    const config = parseConfig({ JOINERY_DATABASE_URL: 'postgres://127.0.0.1/none', JOINERY_PORT: '0' });
    const authenticate = () => {
      throw new Error('no request is complete');
    };
    const parts = { metrics: createMetrics(), observe: () => undefined, trace: untraced } as Partial<HttpParts>;
    server = await createHttpServer(parts as HttpParts, {
      ...httpSettings(config, '0', authenticate),
      apis: new Set(),
      console: undefined,
      requestTimeoutMs: 200,
    });
    url = new URL(await server.listen());
  });

  afterAll(() => server?.close());

  it.each([
    ['nothing', ''],
    ['half of its headers', 'POST /v1/graphql HTTP/1.1\r\nHost: x\r\n'],
    ['half of its body', 'POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1'],
  ])('is closed after it sent %s', async (_part, text) => {
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.resume();
    socket.write(text);
    // Node checks for late requests every 30 s by default.
    await until('the connection is closed', () => socket.closed, { seconds: 20 });
  });

  it('is closed after 30 s by default', () => {
    const config = parseConfig({ JOINERY_DATABASE_URL: 'postgres://127.0.0.1/none' });
    expect(
      httpSettings(config, '0', () => {
        throw new Error('not called');
      }).requestTimeoutMs,
    ).toBe(30_000);
  });
});
