/** Impersonation attempts through headers, claims and session variables, over HTTP and websockets. */
import { request } from 'node:http';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Sink, startSink } from '../support/events/delivery-node.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { codeOf, payloads } from './payloads.ts';

const sql = `
  create table note (id int primary key, owner text not null, hidden text not null);
  insert into note values (1, '7', 'a'), (2, '8', 'b');
`;
const secret = 'open sesame';
const admin = { 'x-service-admin-secret': secret };
const key = 'a key that is long enough for a hash of 256 bits';
const hiddenColumn = '{ note(order_by: {id: asc}) { id hidden } }';
const ownRows = '{ note(order_by: {id: asc}) { id } }';

let database: TestDatabase;
/** A service with tokens, and with a role for callers without a token. */
let withTokens: TestService;
/** A service that rejects callers without the admin secret. */
let secretOnly: TestService;

beforeAll(async () => {
  database = await testDatabase({ sql });
  const base = { JOINERY_ADMIN_SECRET: secret };
  const jwt = { JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }), JOINERY_UNAUTHORIZED_ROLE: 'anonymous' };
  withTokens = await startService({ ...base, ...jwt }, database);
  secretOnly = await startService(base, database);
  const permit = (type: string, role: string, permission: object) => ({
    type,
    args: { table: 'note', role, permission },
  });
  const commands = [
    { type: 'pg_track_table', args: { table: 'note' } },
    permit('pg_create_select_permission', 'user', { columns: ['id'], filter: { owner: 'X-Service-User-Id' } }),
    permit('pg_create_select_permission', 'anonymous', { columns: ['id'], filter: { id: 0 } }),
    permit('pg_create_select_permission', 'manager', { columns: '*', filter: {} }),
    permit('pg_create_insert_permission', 'user', { columns: '*', check: {}, backend_only: true }),
    { type: 'add_inherited_role', args: { role_name: 'inherited', role_set: ['user', 'manager'] } },
  ];
  const { status, body } = await withTokens.post('/v1/metadata', { type: 'bulk', args: commands }, admin);
  expect([status, body]).toEqual([200, expect.anything()]);
  await secretOnly.post('/v1/metadata', { type: 'reload_metadata', args: {} }, admin);
});

afterAll(async () => {
  await withTokens?.stop();
  await secretOnly?.stop();
  await database?.drop();
});

function token(claims: object = {}, registered: object = {}, alg = 'HS256'): Promise<string> {
  const own = {
    'x-service-allowed-roles': ['user'],
    'x-service-default-role': 'user',
    'x-service-user-id': '7',
    ...claims,
  };
  return new SignJWT({ 'https://hasura.io/jwt/claims': own, ...registered })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(key));
}

type RequestHeaders = Readonly<Record<string, string>>;

/** Asserts that a request runs with the role `user`: with the rows of the user, without the hidden column. */
async function expectRoleUser(service: TestService, headers: RequestHeaders): Promise<void> {
  expect(codeOf(await service.graphql(hiddenColumn, headers))).toBe('validation-failed');
  expect(await service.graphql(ownRows, headers)).toEqual({ data: { note: [{ id: 1 }] } });
}

/** Asserts that requests with these headers are rejected with the code. */
async function expectRejected(service: TestService, headers: RequestHeaders, code: string): Promise<void> {
  expect(codeOf(await service.graphql(hiddenColumn, headers))).toBe(code);
  expect(codeOf(await service.graphql(ownRows, headers))).toBe(code);
}

/** An empty role header counts as absent, as in Hasura v2. */
const namesRole = (headers: object): boolean =>
  Object.entries(headers).some(([name, value]) => name.toLowerCase() === 'x-service-role' && value !== '');

const variables: readonly RequestHeaders[] = [
  { 'x-service-role': 'admin' },
  { 'X-SERVICE-ROLE': 'admin' },
  { 'x-service-role': 'Admin' },
  { 'x-service-role': 'manager' },
  { 'x-service-role': 'inherited' },
  { 'x-service-role': 'user,admin' },
  { 'x-service-role': 'user, manager' },
  { 'x-service-role': '' },
  { 'x-service-role': '__proto__' },
  { 'x-service-role': 'constructor' },
  { 'x-service-role': '*' },
  { 'x-service-role': '["admin"]' },
  { 'x-service-role': 'user\t' },
  { 'x-service-user-id': '8' },
  { 'X-Service-User-Id': '8' },
  { 'x-service-allowed-roles': 'admin', 'x-service-default-role': 'admin' },
  { 'x-service-allowed-roles': '["manager"]', 'x-service-default-role': 'manager', 'x-service-role': 'manager' },
  { 'x-hasura-role': 'admin', 'x-hasura-user-id': '8' },
  { 'x-hasura-allowed-roles': '["admin"]', 'x-hasura-default-role': 'admin' },
  { x_service_role: 'admin' },
  { 'x-service--role': 'admin' },
  { 'x-forwarded-user': 'admin', 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' },
  { 'x-hasura-admin-secret': secret },
  { 'x-service-use-backend-only-permissions': 'true' },
  { 'x-service-admin': secret, 'x-service-secret': secret },
];

describe('a request with a token', () => {
  test.each(variables)('%j is ignored, or rejected if it names a role that is not allowed', async (headers) => {
    const sent = { authorization: `Bearer ${await token()}`, ...headers };
    // Whitespace at the end of a header is not part of its value.
    if (namesRole(headers) && headers['x-service-role']?.trim() !== 'user')
      await expectRejected(withTokens, sent, 'access-denied');
    else await expectRoleUser(withTokens, sent);
  });

  test.each(['', ' ', 'wrong', `${secret},${secret}`, secret.toUpperCase(), `${secret}\t${secret}`])(
    'is rejected if it also has the admin secret %j',
    async (sent) => {
      const headers = { authorization: `Bearer ${await token()}`, 'x-service-admin-secret': sent };
      expect(codeOf(await withTokens.graphql(ownRows, headers))).toBe('access-denied');
    },
  );

  test('gets no backend-only permissions by a header or a claim', async () => {
    const insert = 'mutation { insert_note(objects: {id: 9, owner: "7", hidden: "c"}) { affected_rows } }';
    const flag = { 'x-service-use-backend-only-permissions': 'true' };
    for (const headers of [
      { authorization: `Bearer ${await token()}`, ...flag },
      { authorization: `Bearer ${await token(flag)}` },
      { authorization: `Bearer ${await token(flag)}`, ...flag },
      { ...flag },
      { ...flag, 'x-service-role': 'user' },
    ]) {
      expect(codeOf(await withTokens.graphql(insert, headers))).toBe('validation-failed');
    }
    const both = { ...admin, 'x-service-role': 'user' };
    expect(codeOf(await withTokens.graphql(insert, both))).toBe('validation-failed');
    const rolledBack = `${insert.slice(0, -1)} nosuch }`;
    expect(JSON.stringify(await withTokens.graphql(rolledBack, { ...both, ...flag }))).not.toContain('insert_note');
  });
});

describe('claims', () => {
  test.each([
    [
      'an allowed role with other letter case',
      { 'x-service-allowed-roles': ['user', 'Admin'] },
      { 'x-service-role': 'admin' },
      'access-denied',
    ],
    [
      'a string instead of a list',
      { 'x-service-allowed-roles': 'admin' },
      { 'x-service-role': 'admin' },
      'jwt-invalid-claims',
    ],
    [
      'a list within a list',
      { 'x-service-allowed-roles': [['admin']] },
      { 'x-service-role': 'admin' },
      'jwt-invalid-claims',
    ],
    [
      'an object instead of a list',
      { 'x-service-allowed-roles': { admin: true } },
      { 'x-service-role': 'admin' },
      'jwt-invalid-claims',
    ],
    ['a default role that is not allowed', { 'x-service-default-role': 'admin' }, {}, 'access-denied'],
    ['a list as the default role', { 'x-service-default-role': ['admin'] }, {}, 'jwt-invalid-claims'],
    ['a claim with a role', { 'x-service-role': 'admin' }, {}, undefined],
    ['a claim with the admin secret', { 'x-service-admin-secret': secret }, {}, undefined],
    [
      'claims with the names of prototype members',
      { ['__proto__']: { 'x-service-role': 'manager' }, constructor: 'manager' },
      {},
      undefined,
    ],
  ] as const)('give no other role: %s', async (_name, claims, headers, expected) => {
    const sent = { authorization: `Bearer ${await token(claims)}`, ...headers };
    if (expected === undefined) await expectRoleUser(withTokens, sent);
    else await expectRejected(withTokens, sent, expected);
  });

  test('are rejected if the token has no signature, a foreign signature or names its own key', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, body = '', signature = ''] = (
      await token({ 'x-service-allowed-roles': ['manager'], 'x-service-default-role': 'manager' })
    ).split('.');
    const [header = '', own = ''] = (await token()).split('.');
    for (const forged of [
      `${part({ alg: 'none' })}.${body}.`,
      `${part({ alg: 'None' })}.${body}.`,
      `${part({ alg: 'HS256', jwk: { kty: 'oct', k: 'YQ' } })}.${body}.${signature}`,
      `${part({ alg: 'HS256', jku: 'http://127.0.0.1:9/keys' })}.${body}.${signature}`,
      `${part({ alg: 'HS256', kid: '../../dev/null' })}.${body}.${signature}`,
      `${part({ alg: 'HS256', crit: ['b64'], b64: false })}.${body}.${signature}`,
      `${header}.${own}.${signature}`,
      `${header}.${body}.`,
    ]) {
      expect(codeOf(await withTokens.graphql(ownRows, { authorization: `Bearer ${forged}` }))).toBe('invalid-jwt');
    }
  });
});

describe('a request without secret and token', () => {
  test.each(variables)(
    'keeps the unauthorized role with %j, and is rejected by a service without one',
    async (headers) => {
      expect(codeOf(await withTokens.graphql(hiddenColumn, headers))).toBe('validation-failed');
      expect(await withTokens.graphql(ownRows, headers)).toEqual({ data: { note: [] } });
      expect(codeOf(await secretOnly.graphql(ownRows, headers))).toBe('access-denied');
    },
  );

  test('is rejected by the endpoints for admins', async () => {
    for (const [path, body] of [
      ['/v1/metadata', { type: 'export_metadata', args: {} }],
      ['/v1/query', { type: 'run_sql', args: { sql: 'select 1' } }],
      ['/v2/query', { type: 'run_sql', args: { sql: 'select 1' } }],
      ['/v1/graphql/explain', { query: { query: ownRows } }],
      ['/v1/graphql/explain', { query: { query: ownRows }, user: { 'x-service-role': 'admin' } }],
    ] as const) {
      for (const headers of [{}, { 'x-service-role': 'admin' }, { authorization: `Bearer ${await token()}` }]) {
        const response = await withTokens.post(path, body, headers);
        expect([path, headers, codeOf(response.body)]).toEqual([path, headers, 'access-denied']);
      }
    }
  });
});

describe('a service with an authentication webhook', () => {
  let withHook: TestService;
  let hook: Sink;
  beforeAll(async () => {
    hook = await startSink((_call, response) => {
      response.end(
        JSON.stringify({ 'X-Service-Role': 'user', 'X-Service-User-Id': '7', 'Cache-Control': 'max-age=60' }),
      );
    });
    withHook = await startService(
      {
        JOINERY_ADMIN_SECRET: secret,
        JOINERY_AUTH_HOOK: `${hook.origin}/authenticate`,
        JOINERY_AUTH_HOOK_MODE: 'POST',
      },
      database,
    );
  });
  afterAll(async () => {
    await withHook?.stop();
    await hook?.close();
  });

  test.each(variables)('ignores %j, which only the webhook reads', async (headers) => {
    await expectRoleUser(withHook, headers);
    expect(await withHook.graphql(ownRows, {})).toEqual({ data: { note: [{ id: 1 }] } });
  });
});

describe('a header that is sent twice', () => {
  const twice = (service: TestService, headers: readonly (readonly [string, string])[]) =>
    new Promise<unknown>((resolve, reject) => {
      const body = JSON.stringify({ query: hiddenColumn });
      const { host } = new URL(service.url);
      // A list of names and values is sent unchanged, with duplicate names.
      const first = ['host', host, 'content-type', 'application/json', 'content-length', String(body.length)];
      const options = { method: 'POST', headers: [...first, ...headers.flat()] };
      const sent = request(`${service.url}/v1/graphql`, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(JSON.parse(text)));
      });
      sent.on('error', reject);
      sent.end(body);
    });

  test('is rejected with either value', async () => {
    const bearer = ['authorization', `Bearer ${await token()}`] as const;
    for (const [code, ...headers] of [
      ['access-denied', bearer, ['x-service-role', 'user'], ['X-Service-Role', 'admin']],
      ['access-denied', bearer, ['x-service-role', 'manager'], ['x-service-role', 'user']],
      ['access-denied', ['x-service-admin-secret', secret], ['x-service-admin-secret', 'wrong']],
      ['access-denied', ['x-service-admin-secret', 'wrong'], ['x-service-admin-secret', secret]],
      [
        'validation-failed',
        ['x-service-admin-secret', secret],
        ['x-service-role', 'user'],
        ['x-service-role', 'manager'],
      ],
    ] as const) {
      expect([headers, codeOf(await twice(withTokens, headers))]).toEqual([headers, code]);
    }
  });
});

describe('connection_init', () => {
  const authenticate = async (payload: unknown, upgrade: RequestHeaders = {}) => {
    const client = await frameClient(withTokens.url, { headers: upgrade });
    client.send({ type: 'connection_init', payload });
    try {
      if ((await client.next()).type !== 'connection_ack') return 'rejected';
      client.send({ id: '1', type: 'subscribe', payload: { query: hiddenColumn } });
      const { type, payload: response } = await client.next();
      return type === 'error' ? codeOf({ errors: response }) : JSON.stringify(response);
    } catch {
      return 'rejected';
    } finally {
      client.socket.terminate();
    }
  };

  test('gives no other role for any payload', async () => {
    const bearer = `Bearer ${await token()}`;
    for (const headers of [
      ...variables.map((sent) => ({ ...sent })),
      ...variables.map((sent) => ({ Authorization: bearer, ...sent })),
      { 'x-service-role': ['admin'] },
      { 'x-service-role': { toString: 'admin' } },
      { 'x-service-admin-secret': [secret] },
      { 'x-service-admin-secret': null, 'x-service-role': 'admin' },
      { ['__proto__']: { 'x-service-admin-secret': secret } },
    ]) {
      const rejected = 'Authorization' in headers && namesRole(headers);
      expect([headers, await authenticate({ headers })]).toEqual([
        headers,
        rejected ? 'rejected' : 'validation-failed',
      ]);
    }
    for (const payload of [
      { headers: ['x-service-admin-secret', secret] },
      { headers: `x-service-admin-secret: ${secret}` },
      { ...admin },
      { role: 'admin', session: { 'x-service-role': 'admin' } },
      { 'x-service-role': 'admin' },
      null,
      { headers: null },
    ]) {
      expect([payload, await authenticate(payload)]).toEqual([payload, 'validation-failed']);
    }
    expect(await authenticate('admin')).toBe('rejected');
    expect(await authenticate({ headers: { 'x-service-admin-secret': true } })).toBe('rejected');
  });

  test('replaces neither a wrong secret of the upgrade request nor the role of its token', async () => {
    expect(await authenticate({}, { 'x-service-admin-secret': 'wrong' })).toBe('rejected');
    const upgrade = { authorization: `Bearer ${await token()}` };
    expect(await authenticate({ headers: { 'x-service-role': 'manager' } }, upgrade)).toBe('rejected');
    expect(await authenticate({ headers: { 'x-service-user-id': '8' } }, upgrade)).toBe('validation-failed');
  });
});

test('a role may have any name, which is not interpreted', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'Admin', ' admin', 'admin ', 'user\u0000', '🜚', ...payloads];
  for (const role of names) {
    const headers = {
      authorization: `Bearer ${await token({ 'x-service-allowed-roles': [role], 'x-service-default-role': role })}`,
    };
    const body = await withTokens.graphql(ownRows, headers);
    expect([role, codeOf(body)]).toEqual([role, 'validation-failed']);
  }
});

test('an inherited role sees the rows of its parent roles, but may not use these roles', async () => {
  const inherited = await token({ 'x-service-allowed-roles': ['inherited'], 'x-service-default-role': 'inherited' });
  const rows = { data: { note: [{ id: 1 }, { id: 2 }] } };
  expect(await withTokens.graphql(ownRows, { authorization: `Bearer ${inherited}` })).toEqual(rows);
  for (const role of ['manager', 'user', 'admin']) {
    const body = await withTokens.graphql(ownRows, { authorization: `Bearer ${inherited}`, 'x-service-role': role });
    expect(codeOf(body)).toBe('access-denied');
  }
});
