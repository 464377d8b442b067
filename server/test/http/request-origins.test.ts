/** What web pages may send: origins, hosts and content types, for every endpoint and for websockets. */
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

/** Serves the same database with these settings for the tests of a block. */
function serving(environment: Readonly<Record<string, string>>, prepare?: () => Promise<unknown>): void {
  beforeAll(async () => {
    service = await startService(environment, database);
    await prepare?.();
  });
  afterAll(() => service?.stop());
}

const send = (path: string, sent: RawRequest) => sendRaw(service.url + path, sent);

const runSql = (statement: string) => JSON.stringify({ type: 'run_sql', args: { sql: statement } });
const graphql = (query: string) => JSON.stringify({ query });

/** Each POST endpoint with a body that changes the database, or would be answered. */
const endpoints = [
  ['/v1/query', runSql('create table made ()')],
  ['/v1/metadata', JSON.stringify({ type: 'export_metadata', args: {} })],
  ['/v2/query', runSql('create table made ()')],
  ['/v1/graphql', graphql('{ __typename }')],
  ['/v1alpha1/graphql', graphql('{ __typename }')],
  ['/v1/graphql/explain', JSON.stringify({ query: { query: '{ note { id } }' } })],
  ['/api/rest/write', '{"body":"changed"}'],
] as const;

const prepareEndpoints = (headers: Readonly<Record<string, string>> = {}) =>
  prepareNotes((type, args) => service.post('/v1/query', { type, args }, headers));

async function unchanged(): Promise<void> {
  const text = `select to_regclass('made') is null, (select body from note) is null`;
  expect((await database.database.query({ text, values: [] })).rows).toEqual([['t', 't']]);
}

describe('without an admin secret', () => {
  serving({ JOINERY_ALLOWED_HOSTS: 'data.internal', JOINERY_CORS_DOMAIN: `${listed},https://*.foo.example` }, () =>
    prepareEndpoints(),
  );

  describe.each(endpoints)('%s', (path, body) => {
    test.each([
      ['plain text', 'text/plain'],
      ['a form', 'application/x-www-form-urlencoded'],
      ['JSON', 'application/json'],
    ])('rejects %s of a foreign origin', async (_title, type) => {
      const answer = await send(path, { headers: { origin: foreign, 'content-type': type }, body });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('JOINERY_CORS_DOMAIN');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      await unchanged();
    });

    test('rejects a request that a browser marks as sent across sites, without an origin', async () => {
      const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
      expect((await send(path, { headers, body })).status).toBe(403);
      await unchanged();
    });

    test('rejects a page of no origin, such as one in a sandbox', async () => {
      expect((await send(path, { headers: { origin: 'null', ...json }, body })).status).toBe(403);
    });

    test('rejects plain text of an origin that may call', async () => {
      const answer = await send(path, { headers: { origin: listed, 'content-type': 'text/plain' }, body });
      expect(answer.status).toBe(415);
      expect(answer.text).toContain('application/json');
      await unchanged();
    });

    test('rejects a body without a content type of an origin that may call', async () => {
      expect((await send(path, { headers: { origin: listed }, body })).status).toBe(415);
      await unchanged();
    });

    test('rejects the name of a host that is neither loopback nor configured', async () => {
      const answer = await send(path, { headers: { host: 'evil.example', ...json }, body });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('JOINERY_ALLOWED_HOSTS');
      await unchanged();
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

  test('runs what "curl -d" sends, which is marked as a form, and a body without a content type', async () => {
    for (const headers of [{ 'content-type': 'application/x-www-form-urlencoded' }, {}] as const) {
      for (const path of ['/v1/query', '/v2/query']) {
        expect((await send(path, { headers, body: runSql('select 1') })).status).toBe(200);
      }
    }
  });

  test('runs requests of its own pages, by their origin or by what the browser says of it', async () => {
    const body = runSql('select 1');
    for (const own of [{ origin: service.url }, { origin: 'http://proxy:1', 'sec-fetch-site': 'same-origin' }]) {
      expect((await send('/v2/query', { headers: { ...own, ...json }, body })).status).toBe(200);
    }
  });

  test('runs JSON of a listed origin, and lets its pages read the response', async () => {
    const answer = await send('/v2/query', { headers: { origin: listed, ...json }, body: runSql('select 1') });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(listed);
  });

  test('takes a wildcard of a listed origin for one label', async () => {
    const ask = async (origin: string) =>
      (await send('/v2/query', { headers: { origin, ...json }, body: runSql('select 1') })).status;
    expect(await ask('https://a.foo.example')).toBe(200);
    expect(await ask('https://a.b.foo.example')).toBe(403);
    expect(await ask('https://foo.example')).toBe(403);
    expect(await ask('https://evil.example/.foo.example')).toBe(403);
  });

  test('rejects the preflight request of a foreign origin', async () => {
    const headers = { origin: foreign, 'access-control-request-method': 'POST' };
    expect((await send('/v2/query', { method: 'OPTIONS', headers })).status).toBe(403);
  });

  test('opens the console by a link of another site', async () => {
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

describe('without an admin secret and without configured origins', () => {
  serving({});

  test('permits pages of its own origin alone, also on another port of this machine', async () => {
    const ask = (origin: string) => send('/v2/query', { headers: { origin, ...json }, body: runSql('select 1') });
    expect((await ask('http://localhost:3000')).status).toBe(403);
    const own = await ask(service.url);
    expect(own.status).toBe(200);
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('without an admin secret, beyond loopback', () => {
  serving({ JOINERY_HOST: '0.0.0.0', JOINERY_INSECURE: 'true' });

  test('accepts addresses, which no page of another name can use, and rejects names', async () => {
    const ask = async (host: string) => (await send('/v1/version', { method: 'GET', headers: { host } })).status;
    expect(await ask('10.0.0.1:8080')).toBe(200);
    expect(await ask('[fd00::1]')).toBe(200);
    expect(await ask('evil.example')).toBe(403);
  });
});

describe('with an admin secret', () => {
  serving({ JOINERY_ADMIN_SECRET: 'hush' }, () => prepareEndpoints(secret));

  test.each(endpoints)(
    '%s rejects everything but JSON of a foreign origin, although the secret is sent',
    async (path, body) => {
      for (const type of [{ 'content-type': 'text/plain' }, { 'content-type': 'multipart/form-data' }, {}]) {
        expect((await send(path, { headers: { origin: foreign, ...secret, ...type }, body })).status).toBe(415);
      }
      const marked = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
      expect((await send(path, { headers: { ...marked, ...secret }, body })).status).toBe(415);
      await unchanged();
    },
  );

  test('permits JSON of every origin, under every host, for who sends the secret', async () => {
    const headers = { origin: foreign, host: 'data.example', ...json, ...secret };
    const answer = await send('/v2/query', { headers, body: runSql('select 1') });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(foreign);
  });

  test('runs a form of its own origin at a REST endpoint', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send('/api/rest/write', {
      headers: { origin: service.url, ...type, ...secret },
      body: 'body=changed',
    });
    expect(answer).toMatchObject({ status: 200, text: '{"update_note":{"affected_rows":1}}' });
  });
});

describe('with an admin secret and configured hosts', () => {
  serving({ JOINERY_ADMIN_SECRET: 'hush', JOINERY_ALLOWED_HOSTS: 'data.example' });

  test('rejects every other host', async () => {
    const ask = async (host: string) => (await send('/v1/version', { method: 'GET', headers: { host } })).status;
    expect(await ask('data.example')).toBe(200);
    expect(await ask('evil.example')).toBe(403);
  });
});

describe('settings that let every page in, or have no effect, stop the start', () => {
  test.each([
    [{ JOINERY_CORS_DOMAIN: '*' }, 'JOINERY_CORS_DOMAIN'],
    [{ JOINERY_WS_READ_COOKIE: 'true' }, 'JOINERY_DISABLE_CORS'],
    [{ JOINERY_ALLOWED_HOSTS: 'http://data.example' }, 'JOINERY_ALLOWED_HOSTS'],
  ])('%j', async (environment, reason) => {
    await expect(startService(environment as Record<string, string>, database)).rejects.toThrow(reason);
  });
});
