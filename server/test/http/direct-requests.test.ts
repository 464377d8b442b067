/** Requests that are handled without the framework, compared byte by byte with the same requests handled by it. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createMetrics } from '../../src/base/telemetry/metrics.ts';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { untraced } from '../../src/base/telemetry/trace.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createHttpServer, type HttpParts } from '../../src/http/server.ts';
import { type Running, start } from '../../src/main.ts';
import { httpSettings } from '../../src/startup/settings.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';

interface Service extends Running {
  readonly observed: Observation[];
}

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase({
    sql: `create table note (id int primary key, body text);
      insert into note select n, 'Größe ' || repeat('x', 50) from generate_series(1, 100) n;`,
  });
  const service = await startService(true, {});
  await command(service, 'track_table', { schema: 'public', name: 'note' });
  const permission = { columns: '*', filter: {} };
  await command(service, 'create_select_permission', { table: 'note', role: 'reader', permission });
  await service.stop('the metadata is stored');
});
afterAll(() => database?.drop());

async function startService(direct: boolean, environment: Readonly<Record<string, string>>): Promise<Service> {
  const observed: Observation[] = [];
  const running = await start({
    environment: {
      ...{
        JOINERY_DATABASE_URL: database.url,
        JOINERY_PORT: '0',
        JOINERY_LOG_LEVEL: 'silent',
        JOINERY_COMPONENTS: 'api',
      },
      // node:http runs the requests of one chunk at the same time, so that their statements might be merged, or wait behind one another
      // for so long that they run again.
      ...{
        JOINERY_DIRECT_HTTP: String(direct),
        JOINERY_MERGE_READS: 'off',
        JOINERY_POOL_PIPELINE: '1',
        ...environment,
      },
    },
    observe: (observation) => observed.push(observation),
  });
  return { ...running, observed };
}

async function command(service: Service, type: string, args: unknown): Promise<void> {
  const body = JSON.stringify({ type, args });
  const sent = { 'content-type': 'application/json', 'x-service-role': 'admin' };
  const response = await fetch(`${service.url}/v1/query`, { method: 'POST', headers: sent, body });
  if (!response.ok) throw new Error(await response.text());
}

async function open(url: string): Promise<Socket & { received(): string }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'connect');
  return Object.assign(socket, { received: () => text });
}

/** Sends the parts with a pause between them, and resolves with everything that is received until the connection closes. */
async function exchange(url: string, parts: readonly string[]): Promise<string> {
  const socket = await open(url);
  const closed = once(socket, 'close');
  for (const [index, part] of parts.entries()) {
    socket.write(part);
    if (index < parts.length - 1) await turn();
  }
  await closed;
  return socket
    .received()
    .replaceAll(/^Date: .*$/gm, 'Date: masked')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');
}

const host = 'Host: localhost';
const id = 'x-request-id: one';
const jsonType = 'content-type: application/json';
const sized = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;
const post = (body: string, headers: readonly string[] = [], path = '/v1/graphql') =>
  [`POST ${path} HTTP/1.1`, host, id, jsonType, sized(body), ...headers, '', body].join('\r\n');
const query = (text: string, variables?: unknown) => JSON.stringify({ query: text, variables });

/** Ends the connection: it is handled by node:http. */
const last = `GET /healthz HTTP/1.1\r\n${host}\r\nx-request-id: last\r\nConnection: close\r\n\r\n`;

const lookup = query('query Note($id: Int!) { note_by_pk(id: $id) { id body } }', { id: 7 });
const large = query('{ note(order_by: {id: asc}) { id body } }');

const cases: Readonly<Record<string, readonly string[]>> = {
  'a lookup': [post(lookup)],
  'three requests in one chunk': [post(lookup) + post(lookup, ['x-other: 1']) + post(lookup)],
  'a body that follows its head': [post(lookup).slice(0, -lookup.length), lookup],
  'a body in two parts': [post(lookup).slice(0, -10), post(lookup).slice(-10)],
  'a head in two parts': [post(lookup).slice(0, 40), post(lookup).slice(40)],
  'a body of several bytes a character': [post(query('query Größe { note_by_pk(id: 1) { body } } # €😀'))],
  'invalid UTF-8': [post('{"query":"{ __typename } # \xff"}')],
  'a syntax error': [post(query('{ note {'))],
  'an unknown field': [post(query('{ unknown }'))],
  'an error of the database': [post(query('{ note(where: {id: {_eq: "99999999999999"}}) { id } }'))],
  'no JSON': [post('{')],
  'a body that is no object': [post('7')],
  'a query that is no string': [post('{"query":7}')],
  'a batch': [post(`[${lookup},${lookup}]`)],
  'an empty batch': [post('[]')],
  'a subscription': [post(query('subscription { note { id } }'))],
  'a mutation': [post(query('mutation { update_note_by_pk(pk_columns: {id: 1}, _set: {body: "a"}) { id body } }'))],
  'the media type of the specification': [post(lookup, ['accept: application/graphql-response+json'])],
  'an error with the media type of the specification': [
    post(query('{ unknown }'), ['Accept: application/graphql-response+json']),
  ],
  'a large response': [post(large)],
  'a large response, compressed': [post(large, ['accept-encoding: gzip;q=1, br;q=0'])],
  'a large response in a coding that is not offered': [post(large, ['accept-encoding: zstd'])],
  'a page of this service': [post(lookup, ['Origin: http://localhost', 'Sec-Fetch-Site: same-origin'])],
  'a page of a listed origin': [post(lookup, ['origin: https://shop.example'])],
  'a page of another origin': [post(lookup, ['origin: https://evil.example', 'cookie: a=b'])],
  'a role without permissions': [post(lookup, ['X-Service-Role: unknown'])],
  'a role that may read': [post(lookup, ['X-Service-Role: reader', 'X-Service-Admin-Secret: hush'])],
  'an empty role': [post(lookup, ['X-Service-Role:'])],
  'a wrong secret': [post(lookup, ['X-Service-Admin-Secret: wrong'])],
  'an address behind a proxy': [post(lookup, ['x-forwarded-for: 10.0.0.7'])],
  'a header with spaces': [post(lookup, ['x-other: \t a  b \t'])],
  'a repeated header': [post(lookup, ['x-other: a', 'x-other: b'])],
  'a repeated content length': [post(lookup, [sized(lookup)])],
  'a contradicting content length': [post(lookup, ['Content-Length: 3'])],
  'a content length that is no number': [post(lookup).replace(/Content-Length: \d+/, 'Content-Length: +5')],
  'a header beyond ASCII': [post(lookup, ['x-other: \xe4'])],
  'a folded header': [post(lookup, ['x-other: a\r\n b'])],
  'a header without a colon': [post(lookup, ['other'])],
  'a header with a space in its name': [post(lookup, ['x other: a'])],
  'a header that ends with a line feed alone': [post(lookup, ['x-other: a\nx-more: b'])],
  'a header named like a member of objects': [post(lookup, ['__proto__: a', 'constructor: b'])],
  'no host': [post(lookup).replace(`${host}\r\n`, '')],
  'no content type': [post(lookup).replace(`${jsonType}\r\n`, '')],
  'another content type': [post(lookup).replace(jsonType, 'content-type: text/plain')],
  'a content type with a charset': [post(lookup).replace(jsonType, 'content-type: application/json; charset=utf-8')],
  'a chunked body': [
    `POST /v1/graphql HTTP/1.1\r\n${host}\r\n${id}\r\n${jsonType}\r\ntransfer-encoding: chunked\r\n\r\n` +
      `${lookup.length.toString(16)}\r\n${lookup}\r\n0\r\n\r\n`,
  ],
  'a chunked body with a content length': [post(lookup, ['transfer-encoding: chunked'])],
  'a body of 70 kB': [post(query(`{ note_by_pk(id: 1) { id } } #${'x'.repeat(70_000)}`))],
  'an empty body': [post('')],
  'an expectation': [post(lookup, ['expect: 100-continue'])],
  'an unknown expectation': [post(lookup, ['expect: more'])],
  'a method in lower case': [post(lookup).replace('POST', 'post')],
  'an address with parameters': [post(lookup, [], '/v1/graphql?a=b')],
  'a trailing slash': [post(lookup, [], '/v1/graphql/')],
  'another endpoint before and after': [last.replace('close', 'keep-alive') + post(lookup)],
  'a request id that is not acceptable': [post(lookup).replace(id, 'x-request-id: a b').concat(post(lookup))],
};

/** Requests after which the connection is closed. */
const closingCases: Readonly<Record<string, readonly string[]>> = {
  'a connection that is to be closed': [post(lookup, ['connection: close'])],
  'HTTP/1.0': [post(lookup).replace('HTTP/1.1', 'HTTP/1.0')],
  'a common request before it': [post(lookup) + post(lookup, ['connection: close'])],
};

/** Observations without times, in an order that does not depend on concurrent work. */
function comparable(observed: readonly Observation[]): readonly string[] {
  const background: ReadonlySet<string> = new Set(['note', 'metadata-changed', 'started', 'failure']);
  return (
    observed
      // The service runs statements of its own, of which some name no table.
      .filter((one) => !background.has(one.kind) && (one.kind !== 'statement' || one.text.includes('"note"')))
      .map((observation) => {
        const error =
          observation.kind === 'refused' ? { ...observation.error, message: observation.error.message } : {};
        return JSON.stringify({ ...observation, error, durationMs: 0 }).replaceAll(/[\da-f-]{36}/g, 'id');
      })
      .sort()
  );
}

const requestsOf = (observed: readonly Observation[]) => observed.filter(({ kind }) => kind === 'request').length;

describe.each([
  ['without an admin secret', { JOINERY_CORS_DOMAIN: 'https://shop.example' }],
  ['with an admin secret', { JOINERY_ADMIN_SECRET: 'hush', JOINERY_UNAUTHORIZED_ROLE: 'reader' }],
  [
    'with tokens, without compression',
    {
      JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: 'a key of at least thirty-two characters' }),
      ...{ JOINERY_UNAUTHORIZED_ROLE: 'reader', JOINERY_ADMIN_SECRET: 'hush', JOINERY_COMPRESSION: 'none' },
      ...{ JOINERY_TRUSTED_PROXIES: '127.0.0.0/8', JOINERY_CORS_DOMAIN: 'https://*.example' },
    },
  ],
])('a service %s', (_name, environment) => {
  let direct: Service;
  let framework: Service;

  beforeAll(async () => {
    framework = await startService(false, environment);
    direct = await startService(true, environment);
  });
  afterAll(async () => {
    await direct?.stop('the test has ended');
    await framework?.stop('the test has ended');
  });

  const all = [
    ...Object.entries(closingCases),
    ...Object.entries(cases).map(([name, parts]) => [name, [...parts.slice(0, -1), `${parts.at(-1)}${last}`]] as const),
  ];

  it.each(all)('returns the same bytes and observes the same for %s', async (_case, parts) => {
    const results = [];
    for (const service of [direct, framework]) {
      service.observed.length = 0;
      const text = await exchange(service.url, parts);
      const responses = text.match(/^x-request-id: /gm)?.length ?? 0;
      // A response is observed after it has been sent.
      await until('all requests are observed', () => requestsOf(service.observed) >= responses);
      results.push({ text: text.replaceAll(/[\da-f-]{36}/g, 'id'), observed: comparable(service.observed) });
    }
    expect(results[0]).toEqual(results[1]);
  });
});

describe('a connection', () => {
  const parts = (respond: () => Promise<unknown>) =>
    ({
      ...{ metrics: createMetrics(), observe: () => undefined, trace: untraced, rest: { respond: () => undefined } },
      subscriber: { stats: () => ({ subscribers: 0, cohorts: 0, statements: 0 }), idle: async () => undefined },
      graphql: { respond },
    }) as unknown as HttpParts;
  const settings = (milliseconds: number) => {
    const config = parseConfig({ JOINERY_DATABASE_URL: 'postgres://127.0.0.1/none', JOINERY_PORT: '0' });
    const session = { role: 'admin', variables: new Map() };
    return {
      ...httpSettings(config, '0', () => session as never),
      ...{ requestTimeoutMs: milliseconds, apis: new Set(['graphql'] as const), console: undefined },
    };
  };
  const done = async () => ({ status: 200, body: '{}', headers: [] });

  it.each([
    ['no character beyond ASCII', 'a=b', {}],
    ['a character of latin1', 'a=\u00e9', {}],
    ['a character of latin1, compressed', 'a=\u00e9', { large: true }],
    ['a character beyond latin1', 'a=\u20ac', {}],
    ['a control character', 'a=\u0001', {}],
  ])(
    'sends a cookie of a handler with %s as the framework does',
    async (_name, cookie, { large = false }: { large?: boolean }) => {
      const results = [];
      for (const direct of [true, false]) {
        const observed: Observation[] = [];
        const body = large ? JSON.stringify('x'.repeat(10_000)) : '{}';
        const headers = [
          ['set-cookie', cookie],
          ['set-cookie', 'c=d'],
        ];
        const given = {
          ...parts(async () => ({ status: 200, body, headers })),
          observe: (one: Observation) => observed.push(one),
        };
        const server = await createHttpServer(given as unknown as HttpParts, { ...settings(30_000), direct });
        const url = await server.listen();
        const text = await exchange(url, [post(lookup, ['accept-encoding: gzip']) + last]);
        await until('both requests are observed', () => requestsOf(observed) === 2);
        results.push({ text, observed: comparable(observed) });
        await server.close();
      }
      expect(results[0]).toEqual(results[1]);
    },
  );

  it.each([
    ['nothing', ''],
    ['a head without its body', post(lookup).slice(0, -lookup.length)],
    ['a part of its body', post(lookup).slice(0, -5)],
  ])('is closed with 408 after it sent %s', async (_part, text) => {
    const server = await createHttpServer(parts(done), settings(200));
    const socket = await open(await server.listen());
    socket.write(text);
    await until('the connection is closed', () => socket.closed, { seconds: 20 });
    expect(socket.received()).toMatch(/^HTTP\/1\.1 408 /);
    await server.close();
  });

  test('without a request is closed at once when the server closes, and a running request is completed', async () => {
    let finish = (): void => undefined;
    const started = { count: 0 };
    const server = await createHttpServer(
      parts(async () => {
        started.count += 1;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return done();
      }),
      settings(30_000),
    );
    const url = await server.listen();
    const [idle, running] = [await open(url), await open(url)];
    running.write(post(lookup));
    await until('the request runs', () => started.count === 1);
    const closing = server.close();
    await until('the idle connection is closed', () => idle.closed);
    expect(running.received()).toBe('');
    finish();
    await until('the other connection is closed', () => running.closed);
    expect(running.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n\r\n\{\}$/);
    await closing;
  });

  test('that the client closes cancels its request and is not written to', async () => {
    let aborted = false;
    const server = await createHttpServer(
      parts(async (...given: readonly unknown[]) => {
        const { signal } = given[1] as { readonly signal: { whenAborted(listener: () => void): void } };
        await new Promise<void>((resolve) =>
          signal.whenAborted(() => {
            aborted = true;
            resolve();
          }),
        );
        return done();
      }),
      settings(30_000),
    );
    const socket = await open(await server.listen());
    socket.write(post(lookup));
    socket.end();
    await until('the request is canceled', () => aborted);
    expect(socket.received()).toBe('');
    await server.close();
  });
});
