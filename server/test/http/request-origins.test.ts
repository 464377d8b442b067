/** Origins, hosts and content types that web pages may use, for every endpoint and for websockets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { prepareNotes, type RawRequest, sendRaw } from '../support/http/raw-request.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = 'create table note (id int primary key, body text); insert into note values (1, null);';
const foreign = 'https://evil.example';
const listed = 'https://shop.example';
const secret = { 'x-service-admin-secret': 'hush' };
const json = { 'content-type': 'application/json' };

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await testDatabase({ sql });
});
afterAll(() => database?.drop());

/** Starts a service on the database with these settings for the tests of a block. */
function useService(environment: Readonly<Record<string, string>>, prepare?: () => Promise<unknown>): void {
  beforeAll(async () => {
    service = await startService(environment, database);
    await prepare?.();
  });
  afterAll(() => service?.stop());
}

const send = (path: string, sent: RawRequest) => sendRaw(service.url + path, sent);

const runSql = (statement: string) => JSON.stringify({ type: 'run_sql', args: { sql: statement } });
const graphql = (query: string) => JSON.stringify({ query });

/** Each POST endpoint with a valid body. */
const endpoints = [
  ['/v1/query', runSql('create table created ()')],
  ['/v1/metadata', JSON.stringify({ type: 'export_metadata', args: {} })],
  ['/v2/query', runSql('create table created ()')],
  ['/v1/graphql', graphql('{ __typename }')],
  ['/v1alpha1/graphql', graphql('{ __typename }')],
  ['/v1/graphql/explain', JSON.stringify({ query: { query: '{ note { id } }' } })],
  ['/api/rest/write', '{"body":"changed"}'],
] as const;

const prepareEndpoints = (headers: Readonly<Record<string, string>> = {}) =>
  prepareNotes((type, args) => service.post('/v1/query', { type, args }, headers));

async function expectUnchanged(): Promise<void> {
  const text = `select to_regclass('created') is null, (select body from note) is null`;
  expect((await database.database.query({ text, values: [] })).rows).toEqual([['t', 't']]);
}

describe('a service without an admin secret', () => {
  useService({ JOINERY_ALLOWED_HOSTS: 'data.internal', JOINERY_CORS_DOMAIN: `${listed},https://*.foo.example` }, () =>
    prepareEndpoints(),
  );

  describe.each(endpoints)('%s', (path, body) => {
    test.each([
      ['plain text', 'text/plain'],
      ['a form', 'application/x-www-form-urlencoded'],
      ['JSON', 'application/json'],
    ])('rejects %s of a foreign origin', async (_type, type) => {
      const response = await send(path, { headers: { origin: foreign, 'content-type': type }, body });
      expect(response.status).toBe(403);
      expect(response.text).toContain('JOINERY_CORS_DOMAIN');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
      await expectUnchanged();
    });

    test('rejects a request without an origin that the browser marks as cross-site', async () => {
      const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
      expect((await send(path, { headers, body })).status).toBe(403);
      await expectUnchanged();
    });

    test('rejects a page with the origin null, such as one in a sandbox', async () => {
      expect((await send(path, { headers: { origin: 'null', ...json }, body })).status).toBe(403);
    });

    test('rejects plain text of a permitted origin', async () => {
      const response = await send(path, { headers: { origin: listed, 'content-type': 'text/plain' }, body });
      expect(response.status).toBe(415);
      expect(response.text).toContain('application/json');
      await expectUnchanged();
    });

    test('rejects a body without a content type of a permitted origin', async () => {
      expect((await send(path, { headers: { origin: listed }, body })).status).toBe(415);
      await expectUnchanged();
    });

    test('rejects a host that is neither loopback nor configured', async () => {
      const response = await send(path, { headers: { host: 'evil.example', ...json }, body });
      expect(response.status).toBe(403);
      expect(response.text).toContain('JOINERY_ALLOWED_HOSTS');
      await expectUnchanged();
    });
  });

  test.each([
    '/healthz',
    '/readyz',
    '/metrics',
    '/v1/version',
    '/v1/graphql?query={__typename}',
    '/api/rest/read',
    '/api/swagger/json',
    '/console',
    '/console/config.json',
    '/nothing',
  ])('GET %s rejects a foreign host and a foreign origin', async (path) => {
    expect((await send(path, { method: 'GET', headers: { host: 'evil.example' } })).status).toBe(403);
    expect((await send(path, { method: 'GET', headers: { origin: foreign } })).status).toBe(403);
  });

  test.each([
    'localhost',
    'localhost:80',
    'LOCALHOST',
    'app.localhost:1',
    '127.0.0.1',
    '127.8.9.1:80',
    '[::1]',
    'data.internal:80',
  ])('accepts the host %s', async (host) => {
    expect((await send('/v1/version', { method: 'GET', headers: { host } })).status).toBe(200);
  });

  test.each([
    'localhost.evil.example',
    'evil.example@localhost',
    '10.0.0.1',
    '[::2]',
    'other.internal',
    '127.0.0.1.nip.io',
  ])('rejects the host %s', async (host) => {
    expect((await send('/v1/version', { method: 'GET', headers: { host } })).status).toBe(403);
  });

  test('accepts the content type of "curl -d", and a body without a content type', async () => {
    for (const headers of [{ 'content-type': 'application/x-www-form-urlencoded' }, {}] as const) {
      for (const path of ['/v1/query', '/v2/query']) {
        expect((await send(path, { headers, body: runSql('select 1') })).status).toBe(200);
      }
    }
  });

  test.each([
    {},
    { 'content-type': 'text/plain;charset=UTF-8' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'application/graphql' },
  ])('accepts a GraphQL request of a program and of its own page with the headers %j', async (headers) => {
    for (const path of ['/v1/graphql', '/v1alpha1/graphql']) {
      for (const sender of [{}, { origin: service.url }, { 'sec-fetch-site': 'same-origin' }]) {
        const response = await send(path, { headers: { ...headers, ...sender }, body: graphql('{ __typename }') });
        expect(response).toMatchObject({ status: 200, text: '{"data":{"__typename":"query_root"}}' });
      }
    }
  });

  test('accepts requests of its own pages by Origin or Sec-Fetch-Site', async () => {
    const body = runSql('select 1');
    for (const own of [{ origin: service.url }, { origin: 'http://proxy:1', 'sec-fetch-site': 'same-origin' }]) {
      expect((await send('/v2/query', { headers: { ...own, ...json }, body })).status).toBe(200);
    }
  });

  test('accepts JSON of a listed origin, whose pages may read the response', async () => {
    const response = await send('/v2/query', { headers: { origin: listed, ...json }, body: runSql('select 1') });
    expect(response.status).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe(listed);
  });

  test('matches a wildcard of a listed origin with one label', async () => {
    const statusFor = async (origin: string) =>
      (await send('/v2/query', { headers: { origin, ...json }, body: runSql('select 1') })).status;
    expect(await statusFor('https://a.foo.example')).toBe(200);
    expect(await statusFor('https://a.b.foo.example')).toBe(403);
    expect(await statusFor('https://foo.example')).toBe(403);
    expect(await statusFor('https://evil.example/.foo.example')).toBe(403);
  });

  test('rejects the preflight request of a foreign origin', async () => {
    const headers = { origin: foreign, 'access-control-request-method': 'POST' };
    expect((await send('/v2/query', { method: 'OPTIONS', headers })).status).toBe(403);
  });

  test('accepts a link of another site to the console', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await send('/console', { method: 'GET', headers })).status).not.toBe(403);
    expect((await send('/api/rest/read', { method: 'GET', headers })).status).toBe(403);
  });

  test('opens no websocket for a foreign origin or a foreign host', async () => {
    await expect(frameClient(service.url, { headers: { origin: foreign } })).rejects.toThrow('403');
    await expect(frameClient(service.url, { headers: { host: 'evil.example' } })).rejects.toThrow('403');
    await (await frameClient(service.url, { headers: { origin: service.url } })).close();
    await (await frameClient(service.url)).close();
  });
});

describe('a service without an admin secret and without configured origins', () => {
  useService({});

  test('rejects pages of other origins, also of another port of the same host', async () => {
    const sendFrom = (origin: string) => send('/v2/query', { headers: { origin, ...json }, body: runSql('select 1') });
    expect((await sendFrom('http://localhost:3000')).status).toBe(403);
    const own = await sendFrom(service.url);
    expect(own.status).toBe(200);
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('a service without an admin secret that is not bound to loopback', () => {
  useService({ JOINERY_HOST: '0.0.0.0', JOINERY_INSECURE: 'true' });

  test('accepts IP addresses as the host, and rejects names', async () => {
    const statusFor = async (host: string) => (await send('/v1/version', { method: 'GET', headers: { host } })).status;
    expect(await statusFor('10.0.0.1:8080')).toBe(200);
    expect(await statusFor('[fd00::1]')).toBe(200);
    expect(await statusFor('evil.example')).toBe(403);
  });
});

describe('a service with an admin secret', () => {
  useService({ JOINERY_ADMIN_SECRET: 'hush' }, () => prepareEndpoints(secret));

  test.each(endpoints)(
    'rejects at %s everything but JSON of a foreign origin, also with the secret',
    async (path, body) => {
      for (const type of [{ 'content-type': 'text/plain' }, { 'content-type': 'multipart/form-data' }, {}]) {
        expect((await send(path, { headers: { origin: foreign, ...secret, ...type }, body })).status).toBe(415);
      }
      const marked = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
      expect((await send(path, { headers: { ...marked, ...secret }, body })).status).toBe(415);
      await expectUnchanged();
    },
  );

  test('accepts JSON of every origin and host with the secret', async () => {
    const headers = { origin: foreign, host: 'data.example', ...json, ...secret };
    const response = await send('/v2/query', { headers, body: runSql('select 1') });
    expect(response.status).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe(foreign);
  });

  test('accepts a form of its own origin at a REST endpoint', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await send('/api/rest/write', {
      headers: { origin: service.url, ...type, ...secret },
      body: 'body=changed',
    });
    expect(response).toMatchObject({ status: 200, text: '{"update_note":{"affected_rows":1}}' });
  });
});

describe('a service with an admin secret and configured hosts', () => {
  useService({ JOINERY_ADMIN_SECRET: 'hush', JOINERY_ALLOWED_HOSTS: 'data.example' });

  test('rejects every other host', async () => {
    const statusFor = async (host: string) => (await send('/v1/version', { method: 'GET', headers: { host } })).status;
    expect(await statusFor('data.example')).toBe(200);
    expect(await statusFor('evil.example')).toBe(403);
  });
});

describe('a service does not start', () => {
  test.each([
    [{ JOINERY_CORS_DOMAIN: '*' }, 'JOINERY_CORS_DOMAIN'],
    [{ JOINERY_WS_READ_COOKIE: 'true' }, 'JOINERY_DISABLE_CORS'],
    [{ JOINERY_ALLOWED_HOSTS: 'http://data.example' }, 'JOINERY_ALLOWED_HOSTS'],
  ])('with the insecure or ineffective settings %j', async (environment, reason) => {
    await expect(startService(environment as Record<string, string>, database)).rejects.toThrow(reason);
  });
});
