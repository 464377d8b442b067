/** The sign-in to the console by OpenID Connect: who may sign in, and which requests a session authenticates. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/http/free-port.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { type OidcProvider, oidcClient, startOidcProvider } from '../support/http/oidc-provider.ts';
import { type RawResponse, sendRaw } from '../support/http/raw-request.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

type RequestHeaders = Readonly<Record<string, string>>;

const foreign = 'https://evil.example';
const secret = { 'x-service-admin-secret': 'hush' };
const json = { 'content-type': 'application/json' };
const withSession = { 'x-joinery-console': 'oidc' };

let database: TestDatabase;
let provider: OidcProvider;
let service: TestService;
let handlers: HandlerServer;
let settings: RequestHeaders;

beforeAll(async () => {
  provider = await startOidcProvider();
  handlers = await startHandlerServer({ '/echo': () => ({ text: 'done' }) });
  database = await testDatabase({ sql: 'create table note (id int primary key); insert into note values (1)' });
  const port = await freePort();
  settings = {
    JOINERY_PORT: String(port),
    JOINERY_ADMIN_SECRET: 'hush',
    JOINERY_CONSOLE_OIDC_ISSUER: provider.issuer,
    JOINERY_CONSOLE_OIDC_CLIENT_ID: oidcClient.id,
    JOINERY_CONSOLE_OIDC_CLIENT_SECRET: oidcClient.secret,
    JOINERY_CONSOLE_OIDC_REDIRECT_URL: `http://127.0.0.1:${port}/console/oidc/callback`,
    JOINERY_CONSOLE_OIDC_ALLOWED: 'ada@example.com, @lab.example, groups=admins',
  };
  service = await startService(settings, database);
  const action = {
    kind: 'synchronous',
    type: 'mutation',
    output_type: 'Echo',
    handler: `${handlers.url}/echo`,
    forward_client_headers: true,
  };
  const args = [
    { type: 'pg_track_table', args: { table: 'note' } },
    { type: 'set_custom_types', args: { objects: [{ name: 'Echo', fields: [{ name: 'text', type: 'String!' }] }] } },
    { type: 'create_action', args: { name: 'echo', definition: action } },
  ];
  expect((await service.post('/v1/metadata', { type: 'bulk', args }, secret)).status).toBe(200);
});

afterEach(() => provider.reset());

afterAll(async () => {
  await service?.stop();
  await database?.drop();
  await handlers?.close();
  await provider?.close();
});

const get = (path: string, headers: RequestHeaders = {}, url = service.url) =>
  sendRaw(path.startsWith('http') ? path : url + path, { method: 'GET', headers });

/** The cookies that a response sets, as a browser sends them. */
function cookiesOf({ headers }: RawResponse): string {
  return (headers['set-cookie'] ?? [])
    .filter((one) => !one.includes('Max-Age=0'))
    .map((one) => one.split(';')[0])
    .join('; ');
}

/** Begins a sign-in; returns the cookie of the login and the address of the callback. */
async function begin(path = '/console/oidc/login'): Promise<{ readonly cookie: string; readonly callback: string }> {
  const started = await get(path);
  const atProvider = await get(String(started.headers.location));
  return { cookie: cookiesOf(started), callback: String(atProvider.headers.location) };
}

/** Signs in and returns the cookie of the session. */
async function signIn(): Promise<string> {
  const { cookie, callback } = await begin();
  return cookiesOf(await get(callback, { cookie }));
}

/** Follows the callback and returns the message of the sign-in page. */
async function failureOf(callback: string, cookie: string): Promise<unknown> {
  const response = await get(callback, { cookie });
  expect([response.status, response.headers.location]).toEqual([302, '/console']);
  const page = await get('/console/oidc/session', {
    cookie: cookiesOf(response),
    'sec-fetch-site': 'same-origin',
  });
  const { user, error } = JSON.parse(page.text) as { readonly user: unknown; readonly error: unknown };
  expect(user).toBeNull();
  return error;
}

/** The headers of a page of the console. */
const page = (cookie: string): RequestHeaders => ({
  ...{ ...json, ...withSession, cookie },
  ...{ 'sec-fetch-site': 'same-origin', origin: service.url },
});

const command = (headers: RequestHeaders, type = 'get_inconsistent_metadata', args: object = {}) =>
  sendRaw(`${service.url}/v1/metadata`, { headers, body: JSON.stringify({ type, args }) });

const statusOf = async (headers: RequestHeaders) => (await command({ ...json, ...headers })).status;

/** Returns the type of the first message after `connection_init`, or the close code of the websocket. */
async function socketResult(headers: RequestHeaders): Promise<unknown> {
  const client = await frameClient(service.url, { headers });
  client.send({ type: 'connection_init', payload: { headers: withSession } });
  const result = await Promise.race([
    client.next().then(({ type }) => type),
    client.closed.then(({ code }) => code),
  ]).catch(async () => (await client.closed).code);
  await client.close();
  return result;
}

describe('a user who signed in', () => {
  test('is admin for requests of the console, over HTTP and a websocket', async () => {
    const cookie = await signIn();
    expect(await statusOf(page(cookie))).toBe(200);
    const query = { headers: page(cookie), body: JSON.stringify({ query: '{ note { id } }' }) };
    expect(JSON.parse((await sendRaw(`${service.url}/v1/graphql`, query)).text)).toEqual({
      data: { note: [{ id: 1 }] },
    });
    expect(await socketResult({ cookie, origin: service.url })).toBe('connection_ack');
  });

  test('is the author of changes, whatever headers name', async () => {
    const cookie = await signIn();
    const change = { name: 'by ada', definition: { queries: [] } };
    const spoofed = { ...page(cookie), 'x-service-user-id': 'eve', 'x-joinery-author': 'eve' };
    expect((await command(spoofed, 'create_query_collection', change)).status).toBe(200);
    const log = await command(page(cookie), 'get_audit_log', { limit: 1 });
    expect(JSON.parse(log.text)).toMatchObject({
      entries: [{ author: 'oidc:ada@example.com', command: 'create_query_collection' }],
    });
  });

  test('is known to the sign-in page, and returns to the page that began the sign-in', async () => {
    const { cookie, callback } = await begin('/console/oidc/login?return=%2Fconsole%2Fdata%3Fpage%3D2');
    const response = await get(callback, { cookie });
    expect(response.headers.location).toBe('/console/data?page=2');
    const known = await get('/console/oidc/session', {
      cookie: cookiesOf(response),
      'sec-fetch-site': 'same-origin',
    });
    expect(JSON.parse(known.text)).toEqual({ user: 'ada@example.com', expires_at: expect.any(String) });
    expect(known.headers['cache-control']).toBe('no-store');
  });

  test.each(['//evil.example', 'https://evil.example', '/v1/graphql', '/console/\\evil', '/consolefake'])(
    'never returns to %s',
    async (address) => {
      const { cookie, callback } = await begin(`/console/oidc/login?return=${encodeURIComponent(address)}`);
      expect((await get(callback, { cookie })).headers.location).toBe('/console');
    },
  );

  test('may be permitted by a domain, by a claim, or by claims of the userinfo endpoint', async () => {
    provider.claims = { sub: '2', email: 'Bob@LAB.example', email_verified: true };
    expect(await statusOf(page(await signIn()))).toBe(200);
    provider.claims = { sub: '3', groups: ['users', 'admins'] };
    expect(await statusOf(page(await signIn()))).toBe(200);
    provider.claims = { sub: '4' };
    provider.userInfo = { email: 'ada@example.com', email_verified: true };
    expect(await statusOf(page(await signIn()))).toBe(200);
  });

  test('signs out', async () => {
    const cookie = await signIn();
    const out = await sendRaw(`${service.url}/console/oidc/logout`, { headers: page(cookie), body: '{}' });
    expect(out.status).toBe(200);
    expect(out.headers['set-cookie']).toEqual([expect.stringMatching(/^joinery-console=; .*Max-Age=0/)]);
  });
});

describe('the cookie of a session', () => {
  test('does not authenticate requests of other pages', async () => {
    const cookie = await signIn();
    const sent = { ...json, ...withSession, cookie };
    expect(await statusOf({ ...sent, origin: foreign })).toBe(401);
    expect(await statusOf({ ...sent, origin: 'null', 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await statusOf({ ...sent, 'sec-fetch-site': 'same-site' })).toBe(401);
    expect(await statusOf({ ...sent, 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await statusOf(sent)).toBe(401);
  });

  test('does not authenticate without the header of the console', async () => {
    const headers = { ...json, cookie: await signIn(), 'sec-fetch-site': 'same-origin', origin: service.url };
    expect(await statusOf(headers)).toBe(401);
    const query = { headers, body: JSON.stringify({ query: '{ note { id } }' }) };
    expect((await sendRaw(`${service.url}/v1/graphql`, query)).text).toContain('access-denied');
  });

  test('does not authenticate a websocket of another page', async () => {
    const cookie = await signIn();
    expect(await socketResult({ cookie, origin: foreign })).not.toBe('connection_ack');
    expect(await socketResult({ cookie })).not.toBe('connection_ack');
  });

  test('does not sign out for another page', async () => {
    const headers = { ...page(await signIn()), origin: foreign, 'sec-fetch-site': 'cross-site' };
    expect((await sendRaw(`${service.url}/console/oidc/logout`, { headers, body: '{}' })).status).toBe(403);
  });

  test('is not valid when it is changed, of a login, or sent twice', async () => {
    const cookie = await signIn();
    const { cookie: login } = await begin();
    expect(await statusOf(page(`${cookie.slice(0, -4)}AAAA`))).toBe(401);
    expect(await statusOf(page(login.replace('joinery-console-login', 'joinery-console')))).toBe(401);
    expect(await statusOf(page(`${cookie}; ${cookie}`))).toBe(401);
  });

  test('cannot be read by scripts, and is sent by requests of the same site only', async () => {
    const { cookie, callback } = await begin();
    const response = await get(callback, { cookie });
    expect(response.headers['set-cookie']?.[0]).toMatch(
      /^joinery-console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    );
  });

  test('is not sent to handlers that receive the headers of the client', async () => {
    const headers = { ...page(`theme=dark; ${await signIn()}`) };
    const body = JSON.stringify({ query: 'mutation { echo { text } }' });
    expect((await sendRaw(`${service.url}/v1/graphql`, { headers, body })).text).toContain('done');
    expect(handlers.calls.at(-1)?.headers.cookie).toBe('theme=dark');
  });

  test('is valid on another node, and after a restart', async () => {
    const cookie = await signIn();
    await service.stop();
    service = await startService(settings, database);
    expect(await statusOf(page(cookie))).toBe(200);
  });

  test('is revoked by another client secret, admin secret, or list of users, but not by a rotation', async () => {
    const cookie = await signIn();
    const restart = async (changes: RequestHeaders) => {
      await service.stop();
      service = await startService({ ...settings, ...changes }, database);
      return statusOf(page(cookie));
    };
    expect(await restart({ JOINERY_CONSOLE_OIDC_CLIENT_SECRET: 'another secret of the provider' })).toBe(401);
    expect(await restart({ JOINERY_ADMIN_SECRET: 'other' })).toBe(401);
    expect(await restart({ JOINERY_CONSOLE_OIDC_ALLOWED: '@lab.example' })).toBe(401);
    expect(await restart({ JOINERY_ADMIN_SECRET: 'other', JOINERY_ADMIN_SECRETS: '["hush"]' })).toBe(200);
    expect(await restart({})).toBe(200);
  });
});

describe('a sign-in is rejected', () => {
  const later = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

  test.each([
    ['a user who is not allowed', { email: 'eve@example.com' }, 'eve@example.com may not sign in'],
    ['an address that is not verified', { email_verified: false }, 'has not verified the e-mail address'],
    ['a domain that ends like an allowed one', { email: 'eve@notlab.example' }, 'may not sign in'],
  ])('for %s', async (_case, claims, message) => {
    provider.claims = { ...provider.claims, ...claims };
    const { cookie, callback } = await begin();
    expect(await failureOf(callback, cookie)).toContain(message);
  });

  test.each([
    ['another nonce', () => ({ nonce: 'other' }), 'belongs to another sign-in'],
    ['another audience', () => ({ aud: 'other' }), 'for another client'],
    ['another issuer', () => ({ iss: foreign }), 'has another issuer'],
    ['a time in the past', () => ({ exp: later(-120) }), 'compare the clock'],
    ['a time in the future', () => ({ nbf: later(120) }), 'compare the clock'],
  ])('for an ID token of %s', async (_case, changes, message) => {
    provider.change = (claims) => ({ ...claims, ...changes() });
    const { cookie, callback } = await begin();
    expect(await failureOf(callback, cookie)).toContain(message);
  });

  test('for an ID token with the signature of another key', async () => {
    provider.signsWithOtherKey = true;
    const { cookie, callback } = await begin();
    expect(await failureOf(callback, cookie)).toContain('did not confirm the sign-in');
  });

  test('for another state, without calling the provider', async () => {
    const { cookie, callback } = await begin();
    const count = provider.requests.length;
    expect(await failureOf(callback.replace(/state=[^&]+/, 'state=other'), cookie)).toContain('did not confirm');
    expect(provider.requests).toHaveLength(count);
  });

  test('for the callback of another browser, or of another login', async () => {
    const { callback } = await begin();
    const { cookie } = await begin();
    expect(await failureOf(callback, 'theme=dark')).toContain('sign in again');
    expect(await failureOf(callback, cookie)).toContain('did not confirm');
  });

  test('for a code that was used', async () => {
    const { cookie, callback } = await begin();
    expect((await get(callback, { cookie })).headers.location).toBe('/console');
    expect(await failureOf(callback, cookie)).toContain('invalid_grant');
  });

  test('when the provider rejects it', async () => {
    provider.denies = 'access_denied';
    const { cookie, callback } = await begin();
    expect(await failureOf(callback, cookie)).toContain('access_denied');
  });

  test.each([
    ['is not reachable', { JOINERY_CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9' }, 'cannot be reached'],
    ['has an address that egress forbids', { JOINERY_EGRESS_PRIVATE: 'refuse' }, 'not public'],
  ])('where the provider %s', async (_case, changes, message) => {
    await service.stop();
    service = await startService({ ...settings, ...changes }, database);
    expect(await failureOf('/console/oidc/login', '')).toContain(message);
    await service.stop();
    service = await startService(settings, database);
  });
});
