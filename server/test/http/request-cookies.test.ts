/** Cookies authenticate requests of pages of the service and of listed origins only. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { prepareNotes, type RawRequest, sendRaw } from '../support/http/raw-request.ts';
import { type FrameClient, frameClient } from '../support/http/websocket-clients.ts';
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
const graphql = (query: string) => JSON.stringify({ query });
const prepareEndpoints = (headers: Readonly<Record<string, string>>) =>
  prepareNotes((type, args) => service.post('/v1/query', { type, args }, headers));

const key = 'a key that is long enough for a hash of 256 bits';
const cookieToken = {
  JOINERY_ADMIN_SECRET: 'hush',
  JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key, header: { type: 'Cookie', name: 'session' } }),
};

async function tokenCookie(): Promise<string> {
  const claims = { 'x-service-allowed-roles': ['user'], 'x-service-default-role': 'user' };
  const token = new SignJWT({ 'https://hasura.io/jwt/claims': claims }).setProtectedHeader({ alg: 'HS256' });
  return `theme=dark; session=${await token.sign(new TextEncoder().encode(key))}`;
}

/** Returns the type of the first message after `connection_init`, or the close code of the websocket. */
async function connectionResult(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const client: FrameClient = await frameClient(service.url, { headers });
  client.send({ type: 'connection_init' });
  const frame = await Promise.race([
    client.next().then(({ type }) => type),
    client.closed.then(({ code }) => code),
  ]).catch(async () => (await client.closed).code);
  await client.close();
  return frame;
}

describe('a token in a cookie', () => {
  describe('if every origin is permitted', () => {
    useService({ ...cookieToken, JOINERY_CORS_DOMAIN: `*,${listed}` }, () => prepareEndpoints(secret));

    const requests: readonly (readonly [string, string, string])[] = [
      ['POST', '/v1/graphql', graphql('{ note { id } }')],
      ['GET', '/v1/graphql?query={note{id}}', ''],
      ['POST', '/api/rest/write', '{}'],
      ['GET', '/api/rest/read', ''],
    ];

    test.each(requests)('does not authenticate %s %s of a foreign origin', async (method, path, body) => {
      const cookie = await tokenCookie();
      for (const page of [{ origin: foreign }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
        const response = await send(path, { method, headers: { ...page, ...json, cookie }, body });
        expect(response.status).toBe(403);
        expect(response.text).toContain('cookie');
      }
    });

    test.each(requests)(
      'authenticates %s %s of its own pages, of listed origins and of programs',
      async (method, path, body) => {
        const cookie = await tokenCookie();
        const link = { 'sec-fetch-site': 'same-site', referer: `${listed}/page` };
        const pages = [{ origin: service.url }, { origin: listed }, { 'sec-fetch-site': 'same-origin' }, {}];
        for (const page of method === 'GET' ? [...pages, link] : pages) {
          const response = await send(path, { method, headers: { ...page, ...json, cookie }, body });
          expect(response.status).toBe(200);
          expect(response.text).not.toContain('error');
        }
      },
    );

    describe('at a REST endpoint that runs a mutation for GET requests', () => {
      const get = async (headers: Readonly<Record<string, string>>) =>
        (await send('/api/rest/change?body=changed', { method: 'GET', headers })).status;

      test('does not authenticate a request of a foreign page, although the endpoint permits GET', async () => {
        const cookie = await tokenCookie();
        expect(await get({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(403);
        expect(await get({ cookie, origin: foreign })).toBe(403);
        expect(await get({ cookie })).toBe(200);
      });

      test('authenticates only known pages if the endpoint is defined in older metadata', async () => {
        const admin = { type: 'export_metadata', args: {} };
        const metadata = (await service.post('/v1/metadata', admin, secret)).body as { rest_endpoints: object[] };
        const rest_endpoints = metadata.rest_endpoints.map((one) => ({ ...one, allow_get_mutation: undefined }));
        const args = { ...metadata, rest_endpoints };
        expect((await service.post('/v1/metadata', { type: 'replace_metadata', args }, secret)).status).toBe(200);
        const cookie = await tokenCookie();
        expect(await get({ cookie })).toBe(403);
        expect(await get({ cookie, 'sec-fetch-site': 'same-origin' })).toBe(200);
        expect(await get({ cookie, origin: listed })).toBe(200);
        expect(await get(secret)).toBe(200);
        expect((await service.post('/v1/metadata', { type: 'replace_metadata', args: metadata }, secret)).status).toBe(
          200,
        );
      });
    });

    test('is ignored for a request with the admin secret', async () => {
      const headers = { origin: foreign, ...json, ...secret, cookie: await tokenCookie() };
      const response = await send('/v1/graphql', { headers, body: graphql('{ note { id } }') });
      expect(response.text).toBe('{"data":{"note":[{"id":1}]}}');
    });

    test('authenticates a websocket of its own pages and of listed origins, and none of a foreign origin', async () => {
      const cookie = await tokenCookie();
      expect(await connectionResult({ cookie, origin: foreign })).toBe(4403);
      expect(await connectionResult({ cookie, origin: listed })).toBe('connection_ack');
      expect(await connectionResult({ cookie, origin: service.url })).toBe('connection_ack');
      expect(await connectionResult({ cookie })).toBe('connection_ack');
    });
  });

  describe('if CORS is disabled', () => {
    useService({ ...cookieToken, JOINERY_DISABLE_CORS: 'true' });

    test('does not authenticate a websocket of any page', async () => {
      const cookie = await tokenCookie();
      expect(await connectionResult({ cookie, origin: service.url })).toBe(4403);
      expect(await connectionResult({ cookie })).toBe(4403);
      await expect(connectionResult({ cookie, origin: foreign })).rejects.toThrow('403');
    });
  });

  describe('if CORS is disabled and JOINERY_WS_READ_COOKIE is set', () => {
    useService({ ...cookieToken, JOINERY_DISABLE_CORS: 'true', JOINERY_WS_READ_COOKIE: 'true' });

    test('authenticates a websocket of its own pages, and none of a foreign origin', async () => {
      const cookie = await tokenCookie();
      expect(await connectionResult({ cookie, origin: service.url })).toBe('connection_ack');
      await expect(connectionResult({ cookie, origin: foreign })).rejects.toThrow('403');
    });
  });
});

describe('a request behind a trusted proxy', () => {
  useService({ ...cookieToken, JOINERY_TRUSTED_PROXIES: '127.0.0.1' }, () => prepareEndpoints(secret));

  test('has its own origin by the host that the proxy forwards', async () => {
    const headers = { ...json, origin: 'https://data.example', cookie: await tokenCookie() };
    const body = graphql('{ note { id } }');
    const forwarded = { ...headers, 'x-forwarded-host': 'data.example' };
    expect((await send('/v1/graphql', { headers: forwarded, body })).status).toBe(200);
    expect((await send('/v1/graphql', { headers, body })).status).toBe(403);
  });
});

describe('a webhook that authenticates by cookies', () => {
  const cookies: (string | undefined)[] = [];
  const hook = createServer((request, response) => {
    cookies.push(request.headers.cookie);
    const known = request.headers.cookie === 'session=7';
    response.writeHead(known ? 200 : 401).end('{"X-Service-Role":"user"}');
  });
  beforeAll(async () => {
    await once(hook.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
    service = await startService({ JOINERY_ADMIN_SECRET: 'hush', JOINERY_AUTH_HOOK: url }, database);
    await prepareEndpoints(secret);
  });
  afterAll(async () => {
    await service?.stop();
    hook.close();
  });

  test('does not receive the cookie of a request of a foreign origin', async () => {
    const body = '{}';
    const write = (origin: string) =>
      send('/api/rest/write', { headers: { origin, ...json, cookie: 'session=7' }, body });
    expect((await write(foreign)).status).toBe(401);
    expect((await write(service.url)).status).toBe(200);
    expect(cookies).toEqual([undefined, 'session=7']);
  });
});
