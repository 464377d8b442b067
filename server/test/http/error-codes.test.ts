/** The code and the HTTP status of each situation, as clients of Hasura v2 expect them; `docs/from-hasura.md` lists what differs. */
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const key = 'a key that is long enough for a hash of 256 bits';
const sql = `
  create table author (id int primary key, age smallint check (age > 0), born date);
  insert into author values (1, 30, '1990-01-02');
`;
const claims = { 'x-service-allowed-roles': ['user'], 'x-service-default-role': 'user' };

let service: TestService;
const admin = { 'x-service-admin-secret': 'hush' };

/** The body of a request, its headers and its path; the path is that of GraphQL with real statuses unless given. */
interface Request {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
}

const query = (text: string, variables?: object): Request => ({ body: { query: text, variables }, headers: admin });
const command = (type: string, args: unknown, headers = admin): Request => ({
  body: { type, args },
  headers,
  path: '/v1/metadata',
});
const rest = (path: string, method = 'GET', headers: object = {}): Request => ({
  body: undefined,
  path: `/api/rest/${path}`,
  method,
  headers: { ...admin, ...headers },
});

async function bearer(own: object, secret = key): Promise<Readonly<Record<string, string>>> {
  const token = await new SignJWT({ 'https://hasura.io/jwt/claims': own })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));
  return { authorization: `Bearer ${token}` };
}

async function run(type: string, args: unknown): Promise<void> {
  const { status, body } = await service.post('/v1/metadata', { type, args }, admin);
  if (status !== 200) throw new Error(`${type}: ${JSON.stringify(body)}`);
}

beforeAll(async () => {
  const settings = { JOINERY_ADMIN_SECRET: 'hush', JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }) };
  service = await startService({ ...settings, JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'false' }, { sql });
  await run('pg_track_table', { table: 'author' });
  await run('pg_create_select_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['id'], filter: {} },
  });
  await run('pg_create_insert_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['id', 'age'], check: { age: { _gt: 18 } } },
  });
  await run('create_action', {
    name: 'greet',
    definition: { type: 'query', output_type: 'String', handler: 'http://127.0.0.1:1', arguments: [] },
  });
  const queries = [
    { name: 'one', query: 'query ($id: Int!) { author_by_pk(id: $id) { id } }' },
    { name: 'listed', query: 'query ($ids: [Int!]) { author(where: {id: {_in: $ids}}) { id } }' },
  ];
  await run('create_query_collection', { name: 'all', definition: { queries } });
  for (const { name } of queries) {
    const definition = { query: { collection_name: 'all', query_name: name } };
    await run('create_rest_endpoint', { name, url: name, methods: ['GET'], definition });
  }
});

afterAll(() => service?.stop());

test.each<readonly [string, () => Request | Promise<Request>, number, string]>([
  [
    'a wrong admin secret',
    () => ({ body: { query: '{ author { id } }' }, headers: { 'x-service-admin-secret': 'x' } }),
    401,
    'access-denied',
  ],
  [
    'an empty admin secret',
    () => ({ body: { query: '{ author { id } }' }, headers: { 'x-service-admin-secret': '' } }),
    401,
    'access-denied',
  ],
  [
    'a role that the token does not allow',
    async () => ({
      body: { query: '{ author { id } }' },
      headers: { ...(await bearer(claims)), 'x-service-role': 'editor' },
    }),
    400,
    'access-denied',
  ],
  [
    'a metadata command of another role than admin',
    async () => ({ ...command('export_metadata', {}), headers: await bearer(claims) }),
    400,
    'access-denied',
  ],
  [
    'explain for another role than admin',
    async () => ({
      body: { query: { query: '{ author { id } }' } },
      headers: await bearer(claims),
      path: '/v1/graphql/explain',
    }),
    // The status of `/v1/graphql`, which Hasura v2 does not use here.
    200,
    'access-denied',
  ],
  ['no token', () => ({ body: { query: '{ author { id } }' } }), 400, 'invalid-headers'],
  [
    'a header with another scheme',
    () => ({ body: { query: '{ author { id } }' }, headers: { authorization: 'Basic YTpi' } }),
    400,
    'invalid-headers',
  ],
  [
    'a token that is not one',
    () => ({ body: { query: '{ author { id } }' }, headers: { authorization: 'Bearer abc' } }),
    400,
    'invalid-jwt',
  ],
  [
    'a token with another signature',
    async () => ({ body: { query: '{ author { id } }' }, headers: await bearer(claims, key.toUpperCase()) }),
    400,
    'invalid-jwt',
  ],
  [
    'a token without claims',
    async () => ({
      body: { query: '{ author { id } }' },
      headers: {
        authorization: `Bearer ${await new SignJWT({ sub: '1' })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(key))}`,
      },
    }),
    400,
    'jwt-invalid-claims',
  ],
  [
    'allowed roles that are no list',
    async () => ({
      body: { query: '{ author { id } }' },
      headers: await bearer({ ...claims, 'x-service-allowed-roles': 'user' }),
    }),
    400,
    'jwt-invalid-claims',
  ],
  [
    'claims without roles',
    async () => ({ body: { query: '{ author { id } }' }, headers: await bearer({ 'x-service-user-id': '1' }) }),
    400,
    'jwt-missing-role-claims',
  ],
  [
    'claims without a default role',
    async () => ({
      body: { query: '{ author { id } }' },
      headers: await bearer({ 'x-service-allowed-roles': ['user'] }),
    }),
    400,
    'jwt-missing-role-claims',
  ],
  [
    'a backend-only header that is no boolean',
    () => ({
      body: { query: '{ author { id } }' },
      headers: { ...admin, 'x-service-use-backend-only-permissions': '1' },
    }),
    400,
    'bad-request',
  ],
  ['an unknown variable of a REST endpoint', () => rest('one?id=1&x=2'), 400, 'bad-request'],
  ['a body of GraphQL that is not JSON', () => ({ body: '{', headers: admin }), 400, 'invalid-json'],
  [
    'a body of metadata that is not JSON',
    () => ({ body: '{', headers: admin, path: '/v1/metadata' }),
    400,
    'invalid-json',
  ],
  [
    'a command without a type',
    () => ({ body: { args: {} }, headers: admin, path: '/v1/metadata' }),
    400,
    'parse-failed',
  ],
  [
    'a malformed scalar of PostgreSQL',
    () => query('query ($d: date) { author(where: {born: {_eq: $d}}) { id } }', { d: 5 }),
    400,
    'parse-failed',
  ],
  [
    'a value that is out of the range of its type',
    () => query('mutation { insert_author_one(object: {id: 9, age: 70000}) { id } }'),
    400,
    'parse-failed',
  ],
  ['a variable that is defined twice', () => query('query ($i: Int, $i: Int) { author { id } }'), 400, 'parse-failed'],
  [
    'a fragment that is defined twice',
    () => query('{ author { ...F } } fragment F on author { id } fragment F on author { age }'),
    400,
    'parse-failed',
  ],
  ['a syntax error', () => query('{ author { '), 400, 'validation-failed'],
  ['an unknown field', () => query('{ nothing }'), 400, 'validation-failed'],
  ['a missing selection', () => query('{ author }'), 400, 'validation-failed'],
  ['an unknown argument', () => query('{ author(x: 1) { id } }'), 400, 'validation-failed'],
  ['an unknown fragment', () => query('{ author { ...F } }'), 400, 'validation-failed'],
  ['fragments in a cycle', () => query('{ author { ...F } } fragment F on author { ...F }'), 400, 'validation-failed'],
  [
    'a missing required variable',
    () => query('query ($i: Int!) { author_by_pk(id: $i) { id } }'),
    400,
    'validation-failed',
  ],
  ['an unexpected variable', () => query('{ author { id } }', { x: 1 }), 400, 'validation-failed'],
  [
    'an unknown operation name',
    () => ({ body: { query: 'query A { author { id } }', operationName: 'B' }, headers: admin }),
    400,
    'validation-failed',
  ],
  [
    'several operations without a name',
    () => query('query A { author { id } } query B { author { id } }'),
    400,
    'validation-failed',
  ],
  [
    'a mutation of a role without mutations',
    async () => ({
      body: { query: 'mutation { delete_author(where: {}) { affected_rows } }' },
      headers: await bearer(claims),
    }),
    400,
    'validation-failed',
  ],
  ['a subscription over HTTP', () => query('subscription { author { id } }'), 400, 'unexpected-payload'],
  ['an unknown path', () => ({ body: {}, headers: admin, path: '/v1/nothing' }), 404, 'not-found'],
  ['an unknown REST path', () => rest('nothing'), 404, 'not-found'],
  ['a method that a REST endpoint does not have', () => rest('one', 'POST'), 405, 'method-not-allowed'],
  [
    'a remote schema that is not reachable',
    () => command('add_remote_schema', { name: 'away', definition: { url: 'http://127.0.0.1:1' } }),
    400,
    'remote-schema-error',
  ],
  [
    'a remote schema with an invalid URL',
    () => command('add_remote_schema', { name: 'away', definition: { url: 'nonsense' } }),
    400,
    'invalid-params',
  ],
  [
    'a remote schema with a variable that is not set',
    () => command('add_remote_schema', { name: 'away', definition: { url_from_env: 'NO_SUCH_VARIABLE' } }),
    400,
    'invalid-params',
  ],
  ['an action whose handler is not reachable', () => query('{ greet }'), 500, 'unexpected'],
  ['an object that exists', () => command('pg_track_table', { table: 'author' }), 400, 'already-tracked'],
  [
    'a collection that exists',
    () => command('create_query_collection', { name: 'all', definition: { queries: [] } }),
    400,
    'already-exists',
  ],
  ['an object that is absent', () => command('drop_rest_endpoint', { name: 'x' }), 400, 'not-exists'],
  [
    'an object that is still used',
    () => command('drop_query_collection', { collection: 'all', cascade: false }),
    400,
    'dependency-error',
  ],
  [
    'a stale resource version',
    () => ({ ...command('clear_metadata', {}), body: { type: 'clear_metadata', args: {}, resource_version: 0 } }),
    409,
    'conflict',
  ],
  [
    'an inserted row that the permission rejects',
    async () => ({
      body: { query: 'mutation { insert_author_one(object: {id: 9, age: 3}) { id } }' },
      headers: await bearer(claims),
    }),
    400,
    'permission-error',
  ],
  [
    'a row that a constraint of the database rejects',
    () => query('mutation { insert_author_one(object: {id: 9, age: -3}) { id } }'),
    400,
    'permission-error',
  ],
  [
    'a row with a key that exists',
    () => query('mutation { insert_author_one(object: {id: 1}) { id } }'),
    400,
    'constraint-violation',
  ],
  [
    'a sum that is out of range',
    () => query('mutation { update_author(where: {}, _inc: {age: 32767}) { affected_rows } }'),
    400,
    'data-exception',
  ],
  [
    'a date that does not exist',
    () => query('mutation { insert_author_one(object: {id: 9, born: "2020-02-31"}) { id } }'),
    400,
    'data-exception',
  ],
])('%s is rejected', async (_situation, request, status, code) => {
  const { body, headers = {}, path = '/v1alpha1/graphql', method = 'POST' } = await request();
  const response = await fetch(service.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const error = (await response.json()) as { code?: string; errors?: { extensions: { code: string } }[] };
  expect({ status: response.status, code: error.code ?? error.errors?.[0]?.extensions.code }).toEqual({ status, code });
});
