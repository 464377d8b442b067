/** Authentication of requests to a service: admin secrets, tokens, JWK sets and the authentication webhook. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const secret = { JOINERY_ADMIN_SECRET: 'hush' };
const hmac = 'a key that is long enough for a hash of 256 bits';
const claims = {
  'x-service-allowed-roles': ['user', 'editor'],
  'x-service-default-role': 'user',
  'x-service-user-id': '7',
};

let database: TestDatabase;
let service: TestService;
let respond: (request: IncomingMessage, body: string, reply: ServerResponse) => void;
const received: { method: string; headers: IncomingMessage['headers']; body: string }[] = [];
const remote = createServer((request, reply) => {
  let body = '';
  request.on('data', (chunk) => {
    body += String(chunk);
  });
  request.on('end', () => {
    received.push({ method: request.method ?? '', headers: request.headers, body });
    respond(request, body, reply);
  });
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
  database = await testDatabase({
    sql: 'create table note (id int primary key, owner text); insert into note values (1, 7), (2, 8)',
  });
  await serve({});
  await post({ type: 'pg_track_table', args: { table: 'note' } });
  const permission = { columns: ['id'], filter: { owner: 'X-Service-User-Id' } };
  await post({ type: 'create_select_permission', args: { table: 'note', role: 'user', permission } });
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
  remote.close();
});

/** Replaces the service by one with these settings on the same database. */
async function serve(environment: Readonly<Record<string, string>>): Promise<void> {
  await service?.stop();
  service = await startService({ ...secret, ...environment }, database);
  received.length = 0;
}

function post(command: unknown): Promise<unknown> {
  return service.post('/v1/query', command, { 'x-service-admin-secret': 'hush' });
}

const ownRows = { data: { note: [{ id: 1 }] } };
const request = (headers: Readonly<Record<string, string>>) => service.graphql('{ note { id } }', headers);
const error = (code: string) => ({ errors: [{ message: expect.any(String), extensions: { path: '$', code } }] });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function token(claimsOfToken: object = {}, header: { alg: string; kid?: string } = { alg: 'HS256' }): SignJWT {
  return new SignJWT({ 'https://hasura.io/jwt/claims': claims, ...claimsOfToken }).setProtectedHeader(header);
}

const sign = (unsigned: SignJWT, key = hmac) => unsigned.sign(new TextEncoder().encode(key));

test.each<readonly [string, Record<string, string>, Record<string, string>, number]>([
  ['200, as clients of Hasura v2 expect', {}, { 'x-service-admin-secret': 'guess' }, 200],
  [
    '401 with JOINERY_PRESERVE_401_ERRORS',
    { JOINERY_PRESERVE_401_ERRORS: 'true' },
    { 'x-service-admin-secret': 'x' },
    401,
  ],
  ['401 without any secret too', { JOINERY_PRESERVE_401_ERRORS: 'true' }, {}, 401],
  ['200 for other errors', { JOINERY_PRESERVE_401_ERRORS: 'true' }, { 'x-service-admin-secret': 'hush' }, 200],
])('the status of an error of /v1/graphql is %s', async (_status, settings, headers, status) => {
  await serve(settings);
  const response = await service.post('/v1/graphql', { query: '{ nothing }' }, headers);
  expect(response).toMatchObject({ status, body: { errors: [{}] } });
});

describe('admin secrets', () => {
  test('authenticate with any configured secret, so that secrets can be rotated', async () => {
    await serve({ JOINERY_ADMIN_SECRETS: '["next"]' });
    for (const value of ['hush', 'next'])
      expect(await request({ 'x-service-admin-secret': value })).toHaveProperty('data');
    expect(await request({ 'x-service-admin-secret': 'guess' })).toEqual(error('access-denied'));
  });
});

describe('a shared key', () => {
  beforeAll(() =>
    serve({ JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: hmac, audience: ['shop'], issuer: 'me' }) }),
  );
  const valid = (more = {}) => token({ aud: 'shop', iss: 'me', ...more });

  test('authenticates the session of the claims, also in repeated requests', async () => {
    const signed = await sign(valid());
    for (const _ of [1, 2]) expect(await request(bearer(signed))).toEqual(ownRows);
    // The role editor is allowed but has no permission, which is another error than a role that is not allowed.
    const asEditor = await request({ ...bearer(signed), 'x-service-role': 'editor' });
    expect(asEditor).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
    expect(await request({ ...bearer(signed), 'x-service-role': 'admin' })).toEqual(error('access-denied'));
    expect(await request({ ...bearer(signed), 'x-service-user-id': '8' })).toEqual(ownRows);
  });

  test.each([
    ['no token', async () => ({}), 'invalid-headers'],
    ['another authentication scheme', async () => ({ authorization: 'Basic abc' }), 'invalid-headers'],
    ['a malformed token', async () => bearer('abc'), 'invalid-jwt'],
    ['a token of another key', async () => bearer(await sign(valid(), hmac.replace('a', 'b'))), 'invalid-jwt'],
    ['an expired token', async () => bearer(await sign(valid().setExpirationTime('-1s'))), 'invalid-jwt'],
    ['a token that is not valid yet', async () => bearer(await sign(valid().setNotBefore('1h'))), 'invalid-jwt'],
    ['a token for another audience', async () => bearer(await sign(valid({ aud: 'bank' }))), 'invalid-jwt'],
    ['a token of another issuer', async () => bearer(await sign(valid({ iss: 'you' }))), 'invalid-jwt'],
    [
      'a token of another algorithm',
      async () =>
        bearer(
          await new SignJWT({ ...claims, aud: 'shop', iss: 'me' })
            .setProtectedHeader({ alg: 'HS512' })
            .sign(new TextEncoder().encode(hmac.repeat(2))),
        ),
      'invalid-jwt',
    ],
    [
      'a token without a signature',
      async () =>
        bearer(
          `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ aud: 'shop', iss: 'me', 'https://hasura.io/jwt/claims': claims })).toString('base64url')}.`,
        ),
      'invalid-jwt',
    ],
    [
      'a token without roles',
      async () => bearer(await sign(valid({ 'https://hasura.io/jwt/claims': {} }))),
      'jwt-missing-role-claims',
    ],
  ])('rejects a request with %s', async (_name, headers, code) => {
    expect(await request(await headers())).toEqual(error(code));
  });

  test('is ignored for a request with an admin secret, right or wrong', async () => {
    const signed = bearer(await sign(valid()));
    expect(await request({ ...signed, 'x-service-admin-secret': 'hush' })).toEqual({
      data: { note: [{ id: 1 }, { id: 2 }] },
    });
    expect(await request({ ...signed, 'x-service-admin-secret': 'guess' })).toEqual(error('access-denied'));
  });

  test('authenticates a websocket, which is closed when the token expires', async () => {
    const client = await frameClient(service.url);
    const signed = await sign(valid().setExpirationTime('2s'));
    client.send({ type: 'connection_init', payload: { headers: { Authorization: `Bearer ${signed}` } } });
    expect(await client.next()).toMatchObject({ type: 'connection_ack' });
    client.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id } }' } });
    expect(await client.next()).toMatchObject({ type: 'next', payload: ownRows });
    expect(await client.closed).toMatchObject({ code: 4403 });
  });
});

describe('the configuration of tokens', () => {
  test('may name a cookie or a header', async () => {
    const secrets = [
      { type: 'HS256', key: hmac, header: { type: 'Cookie', name: 'session' }, issuer: 'a' },
      { type: 'HS256', key: `other ${hmac}`, header: { type: 'CustomHeader', name: 'X-Token' } },
    ];
    await serve({ JOINERY_JWT_SECRETS: JSON.stringify(secrets), JOINERY_UNAUTHORIZED_ROLE: 'anonymous' });
    expect(await request({ cookie: `a=b; session=${await sign(token({ iss: 'a' }))}` })).toEqual(ownRows);
    expect(await request({ 'x-token': await sign(token(), `other ${hmac}`) })).toEqual(ownRows);
    expect(await request({ cookie: `session=${await sign(token({ iss: 'b' }))}` })).toEqual(error('invalid-jwt'));
    // A request without a token has the unauthorized role, which has no permissions.
    expect(JSON.stringify(await request({}))).toContain('validation-failed');
  });

  test('may have several keys, selected by the issuer', async () => {
    const pair = await generateKeyPair('EdDSA', { extractable: true });
    const secrets = [
      { type: 'HS256', key: hmac, issuer: 'a' },
      { type: 'Ed25519', key: await exportSPKI(pair.publicKey), issuer: 'b' },
    ];
    await serve({ JOINERY_JWT_SECRETS: JSON.stringify(secrets) });
    expect(await request(bearer(await sign(token({ iss: 'a' }))))).toEqual(ownRows);
    expect(await request(bearer(await token({ iss: 'b' }, { alg: 'EdDSA' }).sign(pair.privateKey)))).toEqual(ownRows);
    expect(await request(bearer(await sign(token({ iss: 'b' }))))).toEqual(error('invalid-jwt'));
  });

  test.each(['RS256', 'PS384', 'ES256', 'ES512'])('may be a public key for %s', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const key = await exportSPKI(pair.publicKey);
    await serve({ JOINERY_JWT_SECRET: JSON.stringify({ type: alg, key }) });
    expect(await request(bearer(await token({}, { alg }).sign(pair.privateKey)))).toEqual(ownRows);
    // A token that is signed with the text of the public key as a shared key is rejected.
    expect(await request(bearer(await sign(token(), key)))).toEqual(error('invalid-jwt'));
  });
});

describe('a JWK set', () => {
  test('is fetched once, and not for each token with an unknown key', async () => {
    const first = await generateKeyPair('RS256', { extractable: true });
    const keys = [{ ...(await exportJWK(first.publicKey)), kid: 'one', alg: 'RS256' }];
    respond = (_request, _body, reply) => reply.end(JSON.stringify({ keys }));
    await serve({ JOINERY_JWT_SECRET: JSON.stringify({ jwk_url: url }) });
    const requestWith = async (kid: string, pair: typeof first, more = {}) =>
      request(bearer(await token(more, { alg: 'RS256', kid }).sign(pair.privateKey)));
    expect(await requestWith('one', first)).toEqual(ownRows);
    expect(await requestWith('one', first, { jti: '2' })).toEqual(ownRows);
    expect(received).toHaveLength(1);
    for (const kid of ['x', 'y', 'z']) expect(await requestWith(kid, first)).toEqual(error('invalid-jwt'));
    expect(received).toHaveLength(1);
  });

  test('that is unavailable rejects a request with the advice to try again', async () => {
    respond = (_request, _body, reply) => reply.writeHead(500).end();
    await serve({ JOINERY_JWT_SECRET: JSON.stringify({ jwk_url: url }) });
    const pair = await generateKeyPair('RS256');
    const signed = await token({}, { alg: 'RS256', kid: 'one' }).sign(pair.privateKey);
    expect(await request(bearer(signed))).toMatchObject({
      errors: [{ message: expect.stringContaining('try again') }],
    });
  });
});

describe('the authentication webhook', () => {
  const granted = { 'X-Service-Role': 'user', 'X-Service-User-Id': '7', nonsense: 'x' };

  test('receives the headers of the caller without those of the connection', async () => {
    respond = (_request, _body, reply) => reply.end(JSON.stringify(granted));
    await serve({ JOINERY_AUTH_HOOK: url });
    expect(await request({ authorization: 'Session 1', 'x-service-role': 'user' })).toEqual(ownRows);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Session 1', 'x-service-role': 'user' },
    });
    expect(received[0]?.headers['content-type']).toBeUndefined();
    expect(await request({ authorization: 'Session 1' })).toEqual(ownRows);
    expect(received).toHaveLength(2);
    expect(await request({ 'x-service-admin-secret': 'hush' })).toHaveProperty('data.note.length', 2);
    expect(received).toHaveLength(2);
  });

  test('receives headers and request as JSON in mode POST', async () => {
    respond = (_request, _body, reply) => reply.end(JSON.stringify(granted));
    await serve({ JOINERY_AUTH_HOOK: url, JOINERY_AUTH_HOOK_MODE: 'POST' });
    expect(await request({ 'x-a': 'b' })).toEqual(ownRows);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      headers: { 'x-a': 'b' },
      request: { query: '{ note { id } }' },
    });
  });

  test('receives in mode POST also the headers that describe the client', async () => {
    respond = (_request, _body, reply) => reply.end(JSON.stringify(granted));
    await serve({ JOINERY_AUTH_HOOK: url, JOINERY_AUTH_HOOK_MODE: 'POST' });
    await request({ 'user-agent': 'shop/1', 'accept-language': 'de', referer: 'https://shop.example/' });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      headers: {
        'user-agent': 'shop/1',
        'accept-language': 'de',
        referer: 'https://shop.example/',
        host: new URL(service.url).host,
        'content-type': 'application/json',
      },
    });
  });

  test('receives null as the request of anything but GraphQL in mode POST, and no request if it is not sent', async () => {
    respond = (_request, _body, reply) => reply.end(JSON.stringify(granted));
    await serve({ JOINERY_AUTH_HOOK: url, JOINERY_AUTH_HOOK_MODE: 'POST' });
    await service.post('/v1/query', { type: 'select', args: { table: 'note', columns: ['id'] } });
    expect(JSON.parse(received[0]?.body ?? '')).toHaveProperty('request', null);
    await serve({ ...{ JOINERY_AUTH_HOOK: url, JOINERY_AUTH_HOOK_MODE: 'POST' }, ...withoutBody });
    await request({});
    expect(JSON.parse(received[0]?.body ?? '')).not.toHaveProperty('request');
  });

  const withoutBody = { JOINERY_AUTH_HOOK_SEND_REQUEST_BODY: 'false' };

  test('sets cookies in successful responses, and not in errors', async () => {
    respond = (_request, _body, reply) => {
      reply.writeHead(200, { 'set-cookie': ['a=1; HttpOnly', 'b=2'] }).end(JSON.stringify(granted));
    };
    await serve({ JOINERY_AUTH_HOOK: url });
    const cookiesOf = async (path: string, body: unknown) => {
      const response = await fetch(service.url + path, { method: 'POST', body: JSON.stringify(body) });
      return response.headers.getSetCookie();
    };
    const both = ['a=1; HttpOnly', 'b=2'];
    expect(await cookiesOf('/v1/graphql', { query: '{ note { id } }' })).toEqual(both);
    const select = { type: 'select', args: { table: 'note', columns: ['id'] } };
    expect(await cookiesOf('/v1/query', select)).toEqual(both);
    expect((await fetch(`${service.url}/api/swagger/json`)).headers.getSetCookie()).toEqual(both);
    expect(await cookiesOf('/v1/graphql', { query: '{ nothing }' })).toEqual([]);
    expect(await cookiesOf('/v1/query', { type: 'export_metadata', args: {} })).toEqual([]);
  });

  test.each<readonly [string, object, object]>([
    ['the response header Cache-Control', { 'cache-control': 'max-age=60' }, {}],
    ['the response header Expires', { expires: 'Mon, 02 Jan 2084 15:04:05 GMT' }, {}],
    ['a malformed Expires', {}, { Expires: '2084-01-02' }],
    ['an Expires of 0', {}, { Expires: '0' }],
    ['a Cache-Control without an age', {}, { 'Cache-Control': 'private' }],
  ])('ignores %s: the session has no expiry and is not cached', async (_name, headers, members) => {
    respond = (_request, _body, reply) =>
      reply.writeHead(200, { ...headers }).end(JSON.stringify({ ...granted, ...members }));
    await serve({ JOINERY_AUTH_HOOK: url });
    expect(await request({})).toEqual(ownRows);
    expect(await request({})).toEqual(ownRows);
    expect(received).toHaveLength(2);
  });

  test.each<readonly [string, object]>([
    ['Cache-Control', { 'Cache-Control': 'max-age=60' }],
    ['Expires', { Expires: 'Mon, 02 Jan 2084 15:04:05 GMT' }],
    [
      'Expires beside a Cache-Control without an age',
      { 'Cache-Control': 'x', Expires: 'Mon, 02 Jan 2084 15:04:05 GMT' },
    ],
  ])('is called once for the same caller while %s in its response permits it', async (_name, members) => {
    respond = (_request, _body, reply) => reply.end(JSON.stringify({ ...granted, ...members }));
    await serve({ JOINERY_AUTH_HOOK: url });
    const caller = (name: string) => request({ authorization: name, 'x-request-id': String(Math.random()) });
    expect(await Promise.all([caller('a'), caller('a'), caller('a')])).toEqual([ownRows, ownRows, ownRows]);
    expect(await caller('a')).toEqual(ownRows);
    expect(received).toHaveLength(1);
    await caller('b');
    expect(received).toHaveLength(2);
  });

  test.each([
    [401, '', 'access-denied'],
    [500, '', 'unexpected'],
    [200, 'no JSON', 'unexpected'],
    [200, '{}', 'invalid-params'],
    [200, '{"X-Service-Role":""}', 'invalid-params'],
    [200, '[]', 'unexpected'],
    [200, '{"X-Service-Role":1}', 'unexpected'],
  ])('rejects the caller with status %i and body %j', async (status, body, code) => {
    respond = (_request, _body, reply) => reply.writeHead(status).end(body);
    await serve({ JOINERY_AUTH_HOOK: url });
    expect(await request({})).toEqual(error(code));
  });
});

describe('a service does not start', () => {
  const jwt = JSON.stringify({ type: 'HS256', key: hmac });
  test.each([
    [{ JOINERY_JWT_SECRET: jwt, JOINERY_ADMIN_SECRET: undefined }, 'JOINERY_ADMIN_SECRET'],
    [{ JOINERY_JWT_SECRET: jwt, JOINERY_AUTH_HOOK: 'http://127.0.0.1:1' }, 'both set'],
    [{ JOINERY_AUTH_HOOK: 'http://127.0.0.1:1', JOINERY_UNAUTHORIZED_ROLE: 'anonymous' }, 'JOINERY_UNAUTHORIZED_ROLE'],
    [{ JOINERY_JWT_SECRET: jwt, JOINERY_JWT_SECRETS: `[${jwt}]` }, 'JOINERY_JWT_SECRETS'],
    [{ JOINERY_AUTH_HOOK: 'nonsense' }, 'JOINERY_AUTH_HOOK'],
    [{ JOINERY_JWT_SECRET: 'nonsense' }, 'JOINERY_JWT_SECRET'],
    [{ JOINERY_JWT_SECRET: JSON.stringify({ type: 'RS256', key: 'nonsense' }) }, 'PEM'],
    [
      { JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: hmac, claims_map: {} }) },
      'must contain "x-service-allowed-roles"',
    ],
    [
      { JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: hmac, claims_namespace_path: '$.a..b' }) },
      'invalid at character 4',
    ],
  ])('with the contradictory or invalid settings %j', async (environment, reason) => {
    const all = { ...secret, ...environment } as Record<string, string>;
    await expect(startService(all, database)).rejects.toThrow(reason);
  });
});
