/** Who asks: tokens, keys behind a URL, the webhook, several secrets; against a running service. */
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
let answer: (request: IncomingMessage, body: string, reply: ServerResponse) => void;
const seen: { method: string; headers: IncomingMessage['headers']; body: string }[] = [];
const other = createServer((request, reply) => {
  let body = '';
  request.on('data', (chunk) => {
    body += String(chunk);
  });
  request.on('end', () => {
    seen.push({ method: request.method ?? '', headers: request.headers, body });
    answer(request, body, reply);
  });
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
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
  other.close();
});

/** Only one service at a time; each with the same tables. */
async function serve(environment: Readonly<Record<string, string>>): Promise<void> {
  await service?.stop();
  service = await startService({ ...secret, ...environment }, database);
  seen.length = 0;
}

function post(command: unknown): Promise<unknown> {
  return service.post('/v1/query', command, { 'x-service-admin-secret': 'hush' });
}

const mine = { data: { note: [{ id: 1 }] } };
const asked = (headers: Readonly<Record<string, string>>) => service.graphql('{ note { id } }', headers);
const refused = (code: string) => ({ errors: [{ message: expect.any(String), extensions: { path: '$', code } }] });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function token(more: object = {}, header: { alg: string; kid?: string } = { alg: 'HS256' }): SignJWT {
  return new SignJWT({ 'https://hasura.io/jwt/claims': claims, ...more }).setProtectedHeader(header);
}

const sign = (made: SignJWT, key = hmac) => made.sign(new TextEncoder().encode(key));

describe('admin secrets', () => {
  test('any of several will do, so that one can be changed without a pause', async () => {
    await serve({ JOINERY_ADMIN_SECRETS: '["next"]' });
    for (const value of ['hush', 'next'])
      expect(await asked({ 'x-service-admin-secret': value })).toHaveProperty('data');
    expect(await asked({ 'x-service-admin-secret': 'guess' })).toEqual(refused('access-denied'));
  });
});

describe('a shared key', () => {
  beforeAll(() =>
    serve({ JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: hmac, audience: ['shop'], issuer: 'me' }) }),
  );
  const good = (more = {}) => token({ aud: 'shop', iss: 'me', ...more });

  test('gives the session of the claims, again and again', async () => {
    const signed = await sign(good());
    for (const _ of [1, 2]) expect(await asked(bearer(signed))).toEqual(mine);
    // An editor may see nothing here, and that is another error than being no editor.
    const asEditor = await asked({ ...bearer(signed), 'x-service-role': 'editor' });
    expect(asEditor).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
    expect(await asked({ ...bearer(signed), 'x-service-role': 'admin' })).toEqual(refused('access-denied'));
    expect(await asked({ ...bearer(signed), 'x-service-user-id': '8' })).toEqual(mine);
  });

  test.each([
    ['without a token', async () => ({}), 'invalid-headers'],
    ['that is no Bearer', async () => ({ authorization: 'Basic abc' }), 'invalid-headers'],
    ['that is no token', async () => bearer('abc'), 'invalid-jwt'],
    ['of another key', async () => bearer(await sign(good(), hmac.replace('a', 'b'))), 'invalid-jwt'],
    ['that has expired', async () => bearer(await sign(good().setExpirationTime('-1s'))), 'invalid-jwt'],
    ['of a later time', async () => bearer(await sign(good().setNotBefore('1h'))), 'invalid-jwt'],
    ['for others', async () => bearer(await sign(good({ aud: 'bank' }))), 'invalid-jwt'],
    ['of another issuer', async () => bearer(await sign(good({ iss: 'you' }))), 'invalid-jwt'],
    [
      'of another algorithm',
      async () =>
        bearer(
          await new SignJWT({ ...claims, aud: 'shop', iss: 'me' })
            .setProtectedHeader({ alg: 'HS512' })
            .sign(new TextEncoder().encode(hmac.repeat(2))),
        ),
      'invalid-jwt',
    ],
    [
      'that is not signed',
      async () =>
        bearer(
          `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ aud: 'shop', iss: 'me', 'https://hasura.io/jwt/claims': claims })).toString('base64url')}.`,
        ),
      'invalid-jwt',
    ],
    [
      'without roles',
      async () => bearer(await sign(good({ 'https://hasura.io/jwt/claims': {} }))),
      'jwt-missing-role-claims',
    ],
  ])('refuses a request %s', async (_name, headers, code) => {
    expect(await asked(await headers())).toEqual(refused(code));
  });

  test('counts less than an admin secret, right or wrong', async () => {
    const signed = bearer(await sign(good()));
    expect(await asked({ ...signed, 'x-service-admin-secret': 'hush' })).toEqual({
      data: { note: [{ id: 1 }, { id: 2 }] },
    });
    expect(await asked({ ...signed, 'x-service-admin-secret': 'guess' })).toEqual(refused('access-denied'));
  });

  test('opens a socket, which closes when the token expires', async () => {
    const client = await frameClient(service.url);
    const signed = await sign(good().setExpirationTime('2s'));
    client.send({ type: 'connection_init', payload: { headers: { Authorization: `Bearer ${signed}` } } });
    expect(await client.next()).toMatchObject({ type: 'connection_ack' });
    client.send({ type: 'subscribe', id: '1', payload: { query: 'subscription { note { id } }' } });
    expect(await client.next()).toMatchObject({ type: 'next', payload: mine });
    expect(await client.closed).toMatchObject({ code: 4403 });
  });
});

describe('where tokens are', () => {
  test('a cookie or a header of that name', async () => {
    const secrets = [
      { type: 'HS256', key: hmac, header: { type: 'Cookie', name: 'session' }, issuer: 'a' },
      { type: 'HS256', key: `other ${hmac}`, header: { type: 'CustomHeader', name: 'X-Token' } },
    ];
    await serve({ JOINERY_JWT_SECRETS: JSON.stringify(secrets), JOINERY_UNAUTHORIZED_ROLE: 'nobody' });
    expect(await asked({ cookie: `a=b; session=${await sign(token({ iss: 'a' }))}` })).toEqual(mine);
    expect(await asked({ 'x-token': await sign(token(), `other ${hmac}`) })).toEqual(mine);
    expect(await asked({ cookie: `session=${await sign(token({ iss: 'b' }))}` })).toEqual(refused('invalid-jwt'));
    // Whoever brings nothing is nobody, who may see nothing.
    expect(JSON.stringify(await asked({}))).toContain('validation-failed');
  });

  test('the issuer tells which of several keys counts', async () => {
    const pair = await generateKeyPair('EdDSA', { extractable: true });
    const secrets = [
      { type: 'HS256', key: hmac, issuer: 'a' },
      { type: 'Ed25519', key: await exportSPKI(pair.publicKey), issuer: 'b' },
    ];
    await serve({ JOINERY_JWT_SECRETS: JSON.stringify(secrets) });
    expect(await asked(bearer(await sign(token({ iss: 'a' }))))).toEqual(mine);
    expect(await asked(bearer(await token({ iss: 'b' }, { alg: 'EdDSA' }).sign(pair.privateKey)))).toEqual(mine);
    expect(await asked(bearer(await sign(token({ iss: 'b' }))))).toEqual(refused('invalid-jwt'));
  });

  test.each(['RS256', 'PS384', 'ES256', 'ES512'])('%s is verified with a public key', async (alg) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    const key = await exportSPKI(pair.publicKey);
    await serve({ JOINERY_JWT_SECRET: JSON.stringify({ type: alg, key }) });
    expect(await asked(bearer(await token({}, { alg }).sign(pair.privateKey)))).toEqual(mine);
    // The public key is no secret: a token signed with its text as one is nobody's.
    expect(await asked(bearer(await sign(token(), key)))).toEqual(refused('invalid-jwt'));
  });
});

describe('keys behind a URL', () => {
  test('are fetched once, and anew for a key that is not known; tokens of invention do not become requests', async () => {
    const first = await generateKeyPair('RS256', { extractable: true });
    const keys = [{ ...(await exportJWK(first.publicKey)), kid: 'one', alg: 'RS256' }];
    answer = (_request, _body, reply) => reply.end(JSON.stringify({ keys }));
    await serve({ JOINERY_JWT_SECRET: JSON.stringify({ jwk_url: url }) });
    const ask = async (kid: string, pair: typeof first, more = {}) =>
      asked(bearer(await token(more, { alg: 'RS256', kid }).sign(pair.privateKey)));
    expect(await ask('one', first)).toEqual(mine);
    expect(await ask('one', first, { jti: '2' })).toEqual(mine);
    expect(seen).toHaveLength(1);
    for (const kid of ['x', 'y', 'z']) expect(await ask(kid, first)).toEqual(refused('invalid-jwt'));
    expect(seen).toHaveLength(1);
  });

  test('that are away make a request fail with a word to try again', async () => {
    answer = (_request, _body, reply) => reply.writeHead(500).end();
    await serve({ JOINERY_JWT_SECRET: JSON.stringify({ jwk_url: url }) });
    const pair = await generateKeyPair('RS256');
    const signed = await token({}, { alg: 'RS256', kid: 'one' }).sign(pair.privateKey);
    expect(await asked(bearer(signed))).toMatchObject({ errors: [{ message: expect.stringContaining('try again') }] });
  });
});

describe('the webhook', () => {
  const granted = { 'X-Service-Role': 'user', 'X-Service-User-Id': '7', nonsense: 'x' };

  test('is asked with the headers of the caller, but for those about the connection', async () => {
    answer = (_request, _body, reply) => reply.end(JSON.stringify(granted));
    await serve({ JOINERY_AUTH_HOOK: url });
    expect(await asked({ authorization: 'Session 1', 'x-service-role': 'user' })).toEqual(mine);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'GET', headers: { authorization: 'Session 1', 'x-service-role': 'user' } });
    expect(seen[0]?.headers['content-type']).toBeUndefined();
    expect(await asked({ authorization: 'Session 1' })).toEqual(mine);
    expect(seen).toHaveLength(2);
    expect(await asked({ 'x-service-admin-secret': 'hush' })).toHaveProperty('data.note.length', 2);
    expect(seen).toHaveLength(2);
  });

  test('in mode POST is shown headers and request as JSON', async () => {
    answer = (_request, _body, reply) => reply.end(JSON.stringify(granted));
    await serve({ JOINERY_AUTH_HOOK: url, JOINERY_AUTH_HOOK_MODE: 'POST' });
    expect(await asked({ 'x-a': 'b' })).toEqual(mine);
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
      headers: { 'x-a': 'b' },
      request: { query: '{ note { id } }' },
    });
  });

  test.each([
    ['Cache-Control in the answer', {}, { ...granted, 'Cache-Control': 'max-age=60' }],
    ['the header Cache-Control', { 'cache-control': 'max-age=60' }, granted],
  ])('is asked once for the same caller while %s allows it', async (_name, headers, body) => {
    answer = (_request, _body, reply) => reply.writeHead(200, headers).end(JSON.stringify(body));
    await serve({ JOINERY_AUTH_HOOK: url });
    const caller = (name: string) => asked({ authorization: name, 'x-request-id': String(Math.random()) });
    expect(await Promise.all([caller('a'), caller('a'), caller('a')])).toEqual([mine, mine, mine]);
    expect(await caller('a')).toEqual(mine);
    expect(seen).toHaveLength(1);
    await caller('b');
    expect(seen).toHaveLength(2);
  });

  test.each([
    [401, '', 'access-denied'],
    [500, '', 'unexpected'],
    [200, 'no JSON', 'unexpected'],
    [200, '{}', 'unexpected'],
    [200, '{"X-Service-Role":1}', 'unexpected'],
  ])('that answers %i %s refuses the caller', async (status, body, code) => {
    answer = (_request, _body, reply) => reply.writeHead(status).end(body);
    await serve({ JOINERY_AUTH_HOOK: url });
    expect(await asked({})).toEqual(refused(code));
  });
});

describe('settings that contradict each other stop the start', () => {
  const jwt = JSON.stringify({ type: 'HS256', key: hmac });
  test.each([
    [{ JOINERY_JWT_SECRET: jwt, JOINERY_ADMIN_SECRET: undefined }, 'JOINERY_ADMIN_SECRET'],
    [{ JOINERY_JWT_SECRET: jwt, JOINERY_AUTH_HOOK: 'http://127.0.0.1:1' }, 'both set'],
    [{ JOINERY_AUTH_HOOK: 'http://127.0.0.1:1', JOINERY_UNAUTHORIZED_ROLE: 'nobody' }, 'JOINERY_UNAUTHORIZED_ROLE'],
    [{ JOINERY_AUTH_HOOK: 'nonsense' }, 'JOINERY_AUTH_HOOK'],
    [{ JOINERY_JWT_SECRET: 'nonsense' }, 'JOINERY_JWT_SECRET'],
    [{ JOINERY_JWT_SECRET: JSON.stringify({ type: 'RS256', key: 'nonsense' }) }, 'PEM'],
  ])('%j', async (environment, reason) => {
    const all = { ...secret, ...environment } as Record<string, string>;
    await expect(startService(all, database)).rejects.toThrow(reason);
  });
});
