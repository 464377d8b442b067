/** Attempts to be somebody else: through every header, claim and session variable, over HTTP and sockets. */
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
const everything = '{ note(order_by: {id: asc}) { id hidden } }';
const mine = '{ note(order_by: {id: asc}) { id } }';

let database: TestDatabase;
/** With tokens, and with a role for whoever shows none. */
let tokens: TestService;
/** With a secret alone, and callers without it refused. */
let closed: TestService;

beforeAll(async () => {
  database = await testDatabase({ sql });
  const base = { JOINERY_ADMIN_SECRET: secret };
  const jwt = { JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }), JOINERY_UNAUTHORIZED_ROLE: 'nobody' };
  tokens = await startService({ ...base, ...jwt }, database);
  closed = await startService(base, database);
  const permit = (type: string, role: string, permission: object) => ({
    type,
    args: { table: 'note', role, permission },
  });
  const commands = [
    { type: 'pg_track_table', args: { table: 'note' } },
    permit('pg_create_select_permission', 'user', { columns: ['id'], filter: { owner: 'X-Service-User-Id' } }),
    permit('pg_create_select_permission', 'nobody', { columns: ['id'], filter: { id: 0 } }),
    permit('pg_create_select_permission', 'boss', { columns: '*', filter: {} }),
    permit('pg_create_insert_permission', 'user', { columns: '*', check: {}, backend_only: true }),
    { type: 'add_inherited_role', args: { role_name: 'heir', role_set: ['user', 'boss'] } },
  ];
  const { status, body } = await tokens.post('/v1/metadata', { type: 'bulk', args: commands }, admin);
  expect([status, body]).toEqual([200, expect.anything()]);
  await closed.post('/v1/metadata', { type: 'reload_metadata', args: {} }, admin);
});

afterAll(async () => {
  await tokens?.stop();
  await closed?.stop();
  await database?.drop();
});

function token(claims: object = {}, more: object = {}, alg = 'HS256'): Promise<string> {
  const own = {
    'x-service-allowed-roles': ['user'],
    'x-service-default-role': 'user',
    'x-service-user-id': '7',
    ...claims,
  };
  return new SignJWT({ 'https://hasura.io/jwt/claims': own, ...more })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(key));
}

type Sent = Readonly<Record<string, string>>;

/** The request runs as the user: with the rows of the user, and without the hidden column. */
async function runsAsUser(service: TestService, headers: Sent): Promise<void> {
  expect(codeOf(await service.graphql(everything, headers))).toBe('validation-failed');
  expect(await service.graphql(mine, headers)).toEqual({ data: { note: [{ id: 1 }] } });
}

/** The request is rejected with the code, whatever it selects. */
async function isRejected(service: TestService, headers: Sent, code: string): Promise<void> {
  expect(codeOf(await service.graphql(everything, headers))).toBe(code);
  expect(codeOf(await service.graphql(mine, headers))).toBe(code);
}

const namesRole = (headers: object): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'x-service-role');

const variables: readonly Sent[] = [
  { 'x-service-role': 'admin' },
  { 'X-SERVICE-ROLE': 'admin' },
  { 'x-service-role': 'Admin' },
  { 'x-service-role': 'boss' },
  { 'x-service-role': 'heir' },
  { 'x-service-role': 'user,admin' },
  { 'x-service-role': 'user, boss' },
  { 'x-service-role': '' },
  { 'x-service-role': '__proto__' },
  { 'x-service-role': 'constructor' },
  { 'x-service-role': '*' },
  { 'x-service-role': '["admin"]' },
  { 'x-service-role': 'user\t' },
  { 'x-service-user-id': '8' },
  { 'X-Service-User-Id': '8' },
  { 'x-service-allowed-roles': 'admin', 'x-service-default-role': 'admin' },
  { 'x-service-allowed-roles': '["boss"]', 'x-service-default-role': 'boss', 'x-service-role': 'boss' },
  { 'x-hasura-role': 'admin', 'x-hasura-user-id': '8' },
  { 'x-hasura-allowed-roles': '["admin"]', 'x-hasura-default-role': 'admin' },
  { x_service_role: 'admin' },
  { 'x-service--role': 'admin' },
  { 'x-forwarded-user': 'admin', 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' },
  { 'x-hasura-admin-secret': secret },
  { 'x-service-use-backend-only-permissions': 'true' },
  { 'x-service-admin': secret, 'x-service-secret': secret },
];

describe('beside a token', () => {
  test.each(variables)('%j is ignored, or rejected if it names a role that is not allowed', async (headers) => {
    const sent = { authorization: `Bearer ${await token()}`, ...headers };
    // White space at the end of a header is no part of its value.
    if (namesRole(headers) && headers['x-service-role']?.trim() !== 'user')
      await isRejected(tokens, sent, 'access-denied');
    else await runsAsUser(tokens, sent);
  });

  test.each(['', ' ', 'wrong', `${secret},${secret}`, secret.toUpperCase(), `${secret}\t${secret}`])(
    'the admin secret %j refuses the request',
    async (sent) => {
      const headers = { authorization: `Bearer ${await token()}`, 'x-service-admin-secret': sent };
      expect(codeOf(await tokens.graphql(mine, headers))).toBe('access-denied');
    },
  );

  test('permissions for backends stay shut, by header and by claim', async () => {
    const insert = 'mutation { insert_note(objects: {id: 9, owner: "7", hidden: "c"}) { affected_rows } }';
    const flag = { 'x-service-use-backend-only-permissions': 'true' };
    for (const headers of [
      { authorization: `Bearer ${await token()}`, ...flag },
      { authorization: `Bearer ${await token(flag)}` },
      { authorization: `Bearer ${await token(flag)}`, ...flag },
      { ...flag },
      { ...flag, 'x-service-role': 'user' },
    ]) {
      expect(codeOf(await tokens.graphql(insert, headers))).toBe('validation-failed');
    }
    const both = { ...admin, 'x-service-role': 'user' };
    expect(codeOf(await tokens.graphql(insert, both))).toBe('validation-failed');
    const rolledBack = `${insert.slice(0, -1)} nosuch }`;
    expect(JSON.stringify(await tokens.graphql(rolledBack, { ...both, ...flag }))).not.toContain('insert_note');
  });
});

describe('claims', () => {
  test.each([
    [
      'the admin among other letters',
      { 'x-service-allowed-roles': ['user', 'Admin'] },
      { 'x-service-role': 'admin' },
      'access-denied',
    ],
    ['a text for a list', { 'x-service-allowed-roles': 'admin' }, { 'x-service-role': 'admin' }, 'jwt-invalid-claims'],
    [
      'a list within a list',
      { 'x-service-allowed-roles': [['admin']] },
      { 'x-service-role': 'admin' },
      'jwt-invalid-claims',
    ],
    [
      'an object for a list',
      { 'x-service-allowed-roles': { admin: true } },
      { 'x-service-role': 'admin' },
      'jwt-invalid-claims',
    ],
    ['a default role that is not allowed', { 'x-service-default-role': 'admin' }, {}, 'access-denied'],
    ['a list as the default role', { 'x-service-default-role': ['admin'] }, {}, 'jwt-invalid-claims'],
    ['a role among the claims', { 'x-service-role': 'admin' }, {}, undefined],
    ['the secret among the claims', { 'x-service-admin-secret': secret }, {}, undefined],
    ['members of every object', { ['__proto__']: { 'x-service-role': 'boss' }, constructor: 'boss' }, {}, undefined],
  ] as const)('%s', async (_name, claims, headers, expected) => {
    const sent = { authorization: `Bearer ${await token(claims)}`, ...headers };
    if (expected === undefined) await runsAsUser(tokens, sent);
    else await isRejected(tokens, sent, expected);
  });

  test('of a token without a signature, or signed with what everybody knows, count nothing', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, body = '', signature = ''] = (
      await token({ 'x-service-allowed-roles': ['boss'], 'x-service-default-role': 'boss' })
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
      expect(codeOf(await tokens.graphql(mine, { authorization: `Bearer ${forged}` }))).toBe('invalid-jwt');
    }
  });
});

describe('without secret and token', () => {
  test.each(variables)('%j stays nobody, and is refused where nobody may come', async (headers) => {
    expect(codeOf(await tokens.graphql(everything, headers))).toBe('validation-failed');
    expect(await tokens.graphql(mine, headers)).toEqual({ data: { note: [] } });
    expect(codeOf(await closed.graphql(mine, headers))).toBe('access-denied');
  });

  test('nobody reaches what is for admins', async () => {
    for (const [path, body] of [
      ['/v1/metadata', { type: 'export_metadata', args: {} }],
      ['/v1/query', { type: 'run_sql', args: { sql: 'select 1' } }],
      ['/v2/query', { type: 'run_sql', args: { sql: 'select 1' } }],
      ['/v1/graphql/explain', { query: { query: mine } }],
      ['/v1/graphql/explain', { query: { query: mine }, user: { 'x-service-role': 'admin' } }],
    ] as const) {
      for (const headers of [{}, { 'x-service-role': 'admin' }, { authorization: `Bearer ${await token()}` }]) {
        const answer = await tokens.post(path, body, headers);
        expect([path, headers, codeOf(answer.body)]).toEqual([path, headers, 'access-denied']);
      }
    }
  });
});

describe('where a webhook says who a caller is', () => {
  let hooked: TestService;
  let hook: Sink;
  beforeAll(async () => {
    hook = await startSink((_call, response) => {
      response.end(
        JSON.stringify({ 'X-Service-Role': 'user', 'X-Service-User-Id': '7', 'Cache-Control': 'max-age=60' }),
      );
    });
    hooked = await startService(
      { JOINERY_ADMIN_SECRET: secret, JOINERY_AUTH_HOOK: `${hook.origin}/who`, JOINERY_AUTH_HOOK_MODE: 'POST' },
      database,
    );
  });
  afterAll(async () => {
    await hooked?.stop();
    await hook?.close();
  });

  test.each(variables)('%j is nothing but what the webhook is shown', async (headers) => {
    await runsAsUser(hooked, headers);
    expect(await hooked.graphql(mine, {})).toEqual({ data: { note: [{ id: 1 }] } });
  });
});

describe('a header that is sent twice', () => {
  const twice = (service: TestService, headers: readonly (readonly [string, string])[]) =>
    new Promise<unknown>((resolve, reject) => {
      const body = JSON.stringify({ query: everything });
      const { host } = new URL(service.url);
      // As a list of names and values, which is sent as it is.
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

  test('counts neither as its first nor as its last', async () => {
    const bearer = ['authorization', `Bearer ${await token()}`] as const;
    for (const [code, ...headers] of [
      ['access-denied', bearer, ['x-service-role', 'user'], ['X-Service-Role', 'admin']],
      ['access-denied', bearer, ['x-service-role', 'boss'], ['x-service-role', 'user']],
      ['access-denied', ['x-service-admin-secret', secret], ['x-service-admin-secret', 'wrong']],
      ['access-denied', ['x-service-admin-secret', 'wrong'], ['x-service-admin-secret', secret]],
      ['validation-failed', ['x-service-admin-secret', secret], ['x-service-role', 'user'], ['x-service-role', 'boss']],
    ] as const) {
      expect([headers, codeOf(await twice(tokens, headers))]).toEqual([headers, code]);
    }
  });
});

describe('connection_init', () => {
  const ask = async (payload: unknown, upgrade: Sent = {}) => {
    const client = await frameClient(tokens.url, { headers: upgrade });
    client.send({ type: 'connection_init', payload });
    try {
      if ((await client.next()).type !== 'connection_ack') return 'refused';
      client.send({ id: '1', type: 'subscribe', payload: { query: everything } });
      const { type, payload: answer } = await client.next();
      return type === 'error' ? codeOf({ errors: answer }) : JSON.stringify(answer);
    } catch {
      return 'refused';
    } finally {
      client.socket.terminate();
    }
  };

  test('makes nobody an admin, whatever it holds', async () => {
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
      expect([headers, await ask({ headers })]).toEqual([headers, rejected ? 'refused' : 'validation-failed']);
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
      expect([payload, await ask(payload)]).toEqual([payload, 'validation-failed']);
    }
    expect(await ask('admin')).toBe('refused');
    expect(await ask({ headers: { 'x-service-admin-secret': true } })).toBe('refused');
  });

  test('cannot take back the secret that was wrong when the socket was opened, nor add a role to a token', async () => {
    expect(await ask({}, { 'x-service-admin-secret': 'wrong' })).toBe('refused');
    const upgrade = { authorization: `Bearer ${await token()}` };
    expect(await ask({ headers: { 'x-service-role': 'boss' } }, upgrade)).toBe('refused');
    expect(await ask({ headers: { 'x-service-user-id': '8' } }, upgrade)).toBe('validation-failed');
  });
});

test('a role of any name is nothing but a name', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'Admin', ' admin', 'admin ', 'user\u0000', '🜚', ...payloads];
  for (const role of names) {
    const headers = {
      authorization: `Bearer ${await token({ 'x-service-allowed-roles': [role], 'x-service-default-role': role })}`,
    };
    const body = await tokens.graphql(mine, headers);
    expect([role, codeOf(body)]).toEqual([role, 'validation-failed']);
  }
});

test('an inherited role sees what its parents see, and asks for none of them by itself', async () => {
  const heir = await token({ 'x-service-allowed-roles': ['heir'], 'x-service-default-role': 'heir' });
  const rows = { data: { note: [{ id: 1 }, { id: 2 }] } };
  expect(await tokens.graphql(mine, { authorization: `Bearer ${heir}` })).toEqual(rows);
  for (const role of ['boss', 'user', 'admin']) {
    const body = await tokens.graphql(mine, { authorization: `Bearer ${heir}`, 'x-service-role': role });
    expect(codeOf(body)).toBe('access-denied');
  }
});
