/** Request limits: limits of the settings, limits of roles, rate limits and the allow list. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { createRateLimiter } from '../../src/service/graphql/rate-limiter.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const sql = `
  create table author (id int primary key, name text);
  create table article (id int primary key, author_id int references author);
  insert into author values (1, 'Ada');
  create function slow() returns setof author language sql stable as 'select author.* from author, pg_sleep(3)';
`;

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await testDatabase({ sql, migrated: true });
  service = await startService(
    {
      JOINERY_MAX_QUERY_DEPTH: '6',
      JOINERY_MAX_QUERY_NODES: '40',
      JOINERY_MAX_QUERY_ROOTS: '5',
      JOINERY_MAX_BATCH_SIZE: '3',
    },
    database,
  );
  await service.command('track_table', 'author');
  await service.command('track_table', 'article');
  await service.command('track_function', 'slow');
  await service.command('create_object_relationship', {
    table: 'article',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  });
  await service.command('create_array_relationship', {
    table: 'author',
    name: 'articles',
    using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
  });
  for (const table of ['author', 'article']) {
    for (const role of ['user', 'editor']) {
      await service.command('create_select_permission', { table, role, permission: { columns: '*', filter: {} } });
    }
  }
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const as = (role: string) => ({ 'x-service-role': role });
const request = (query: string, role = 'user') => service.graphql(query, as(role));
const error = (code: string) =>
  expect.objectContaining({ errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })] });
const anyData = expect.objectContaining({ data: expect.anything() });
const nested = (depth: number): string =>
  depth === 1 ? '{ id }' : `{ ${depth % 2 === 0 ? 'articles' : 'author'} ${nested(depth - 1)} }`;
const deep = (depth: number) => `{ author ${nested(depth - 1)} }`;

describe('the limits of the settings', () => {
  test('reject an operation that is deeper than the limit, fragments included', async () => {
    expect(await request('{ author { articles { author { articles { author { id } } } } } }')).toEqual(anyData);
    expect(
      await request('{ author { articles { author { articles { author { articles { id } } } } } } }', 'admin'),
    ).toEqual(error('depth-limit-exceeded'));
    const spread =
      'fragment f on author { articles { author { ...g } } } fragment g on author { articles { author { articles { id } } } }';
    expect(await request(`{ author { ...f } } ${spread}`)).toEqual(error('depth-limit-exceeded'));
  });

  test('reject an operation with more fields than the limit, with the fields of each fragment spread counted', async () => {
    const ids = Array.from({ length: 39 }, (_, index) => `a${index}: id`).join(' ');
    expect(await request(`{ author { ${ids} } }`)).toEqual(anyData);
    expect(await request(`{ author { ${ids} more: id } }`)).toEqual(error('node-limit-exceeded'));
    const twice =
      'fragment f on author { a: id b: id c: id d: id e: id f: id } fragment g on author { ...f articles { author { ...f } } }';
    expect(await request(`{ author { ...g } again: author { ...g } third: author { ...g } } ${twice}`)).toEqual(
      error('node-limit-exceeded'),
    );
  });

  test('count fragments whose spreads double at each level without expanding them', async () => {
    const doubling = Array.from(
      { length: 60 },
      (_, i) => `fragment f${i} on author { ...f${i + 1} x: articles { author { ...f${i + 1} } } }`,
    ).join(' ');
    expect(await request(`{ author { ...f0 } } ${doubling} fragment f60 on author { id }`)).toEqual(
      error('depth-limit-exceeded'),
    );
  });

  test('reject an operation with more root fields than the limit, aliases included', async () => {
    const roots = (count: number) =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: author { id }`).join(' ')} }`;
    expect(await request(roots(5))).toEqual(anyData);
    expect(await request(roots(6))).toEqual(error('node-limit-exceeded'));
  });

  test('reject a batch with more operations than the limit', async () => {
    const batch = (count: number) =>
      service.post(
        '/v1/graphql',
        Array.from({ length: count }, () => ({ query: '{ author { id } }' })),
      );
    expect((await batch(3)).body).toHaveLength(3);
    expect((await batch(4)).body).toEqual(error('batch-limit-exceeded'));
  });

  test('do not apply to introspection', async () => {
    const query = '{ __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }';
    expect(await request(query)).toEqual(anyData);
  });

  test('apply to subscriptions', async () => {
    const client = await frameClient(service.url);
    client.send({ type: 'connection_init', payload: { headers: as('user') } });
    await client.next();
    client.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${deep(9)}` } });
    expect(await client.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'depth-limit-exceeded' } }],
    });
    await client.close();
  });
});

describe('the limits of roles', () => {
  const limits = (values: object) => service.command('set_api_limits', values);

  test('restrict a role further, but not admin', async () => {
    await limits({
      depth_limit: { global: 2, per_role: { editor: 4 } },
      node_limit: { global: 6 },
      batch_limit: { global: 1 },
    });
    const three = '{ author { articles { id } } }';
    expect(await request(three)).toEqual(error('depth-limit-exceeded'));
    expect(await request(three, 'editor')).toEqual(anyData);
    expect(await request(three, 'admin')).toEqual(anyData);
    expect(await request('{ author { a: id b: id c: id d: id e: id f: id } }')).toEqual(error('node-limit-exceeded'));
    const two = [{ query: '{ author { id } }' }, { query: '{ author { id } }' }];
    expect((await service.post('/v1/graphql', two, as('user'))).body).toEqual(error('batch-limit-exceeded'));
    expect((await service.post('/v1/graphql', two, as('admin'))).body).toHaveLength(2);
  });

  test('stay in the metadata without effect while disabled, and are deleted when removed', async () => {
    await limits({ disabled: true, depth_limit: { global: 1 } });
    expect(await request('{ author { id } }')).toEqual(anyData);
    expect(await service.command('export_metadata', {})).toMatchObject({ api_limits: { disabled: true } });
    await limits({ depth_limit: { global: 1 } });
    expect(await request('{ author { id } }')).toEqual(error('depth-limit-exceeded'));
    await service.command('remove_api_limits', {});
    expect(await request('{ author { id } }')).toEqual(anyData);
    expect(await service.command('export_metadata', {})).not.toHaveProperty('api_limits');
  });

  test('end a request that takes longer than the time limit of the role', async () => {
    await limits({ time_limit: { global: 1 } });
    expect(await request('{ slow { id } }')).toEqual(error('time-limit-exceeded'));
    await service.command('remove_api_limits', {});
  });

  test('limit the requests per minute for each value of the unique parameters', async () => {
    await limits({ rate_limit: { global: { max_reqs_per_min: 2, unique_params: ['X-Service-User-Id'] } } });
    const responses: unknown[] = [];
    const send = async (user: string) =>
      responses.push(await service.graphql('{ author { id } }', { ...as('user'), 'x-service-user-id': user }));
    for (const user of ['1', '1', '1', '1', '1', '2']) await send(user);
    // A new minute may begin once during the requests.
    const limited = responses.slice(0, 5).filter((one) => 'errors' in (one as object));
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]).toEqual(error('rate-limit-exceeded'));
    expect(responses[0]).toEqual(anyData);
    expect(responses[5]).toEqual(anyData);
    expect(await request('{ author { id } }', 'admin')).toEqual(anyData);
    await service.command('remove_api_limits', {});
  });

  test('reject introspection for a role that it is disabled for', async () => {
    await service.command('set_graphql_schema_introspection_options', { disabled_for_roles: ['user'] });
    expect(await request('{ __schema { queryType { name } } }')).toEqual(error('validation-failed'));
    expect(await request('{ author { __typename id } }')).toEqual(anyData);
    expect(await request('{ __schema { queryType { name } } }', 'editor')).toEqual(anyData);
    await service.command('set_graphql_schema_introspection_options', { disabled_for_roles: [] });
  });

  test('are rejected with their path if a value is invalid', async () => {
    const body = { type: 'set_api_limits', args: { depth_limit: { global: 0 } } };
    expect((await service.post('/v1/query', body)).body).toMatchObject({
      code: 'parse-failed',
      path: '$.args.depth_limit.global',
    });
  });
});

describe('a rate limit', () => {
  const session = (role: string) =>
    ({ role, variables: new Map() }) as unknown as Parameters<ReturnType<typeof createRateLimiter>>[0];
  const model = (limit: object) => ({ limits: { rate_limit: { global: limit } } }) as unknown as Model;
  const limit = model({ max_reqs_per_min: 40, unique_params: 'IP' });

  test('counts from zero in each minute, and for each address', () => {
    let now = 0;
    const take = createRateLimiter(undefined, () => now);
    for (let count = 0; count < 40; count += 1) take(session('user'), '10.0.0.1', limit);
    expect(() => take(session('user'), '10.0.0.1', limit)).toThrow(
      expect.objectContaining({ code: 'rate-limit-exceeded', status: 429 }),
    );
    expect(() => take(session('user'), '10.0.0.2', limit)).not.toThrow();
    expect(() => take(session('admin'), '10.0.0.1', limit)).not.toThrow();
    now = 60_000;
    expect(() => take(session('user'), '10.0.0.1', limit)).not.toThrow();
  });

  test('admits exactly the limit over all nodes, with few statements', async () => {
    let statements = 0;
    const shared = {
      ...database.database,
      query: (async (...args: Parameters<typeof database.database.query>) => {
        statements += 1;
        return database.database.query(...args);
      }) as typeof database.database.query,
    };
    const nodes = [createRateLimiter(shared, () => 120_000), createRateLimiter(shared, () => 121_000)];
    await beginningOfMinute();
    let passed = 0;
    for (let count = 0; count < 60; count += 1) {
      const node = nodes[count % 2];
      const outcome = await Promise.resolve()
        .then(() => node?.(session('user'), '10.0.0.1', limit))
        .then(
          () => 1,
          () => 0,
        );
      passed += outcome;
    }
    expect(passed).toBe(40);
    expect(statements).toBeLessThanOrEqual(22);
    await passMinutes(1);
    const later = createRateLimiter(shared, () => 180_000);
    await later(session('user'), '10.0.0.1', limit);
    expect(statements).toBeLessThanOrEqual(23);
  });

  test.each([
    ['a node whose clock is an hour ahead', 7_200_000],
    ['a node whose clock is right', 3_600_000],
  ])('is counted over all nodes in the minute of the database, also by %s', async (_what, time) => {
    const one = model({ max_reqs_per_min: 1, unique_params: 'IP' });
    await beginningOfMinute();
    const address = `10.1.0.${time / 3_600_000}`;
    await createRateLimiter(database.database, () => 3_600_000)(session('user'), address, one);
    const other = createRateLimiter(database.database, () => time);
    await expect(Promise.resolve(other(session('user'), address, one))).rejects.toThrow('more than 1 requests');
  });

  test('counts anew when the clock of the node is set back', () => {
    let now = 600_000;
    const take = createRateLimiter(undefined, () => now);
    const one = model({ max_reqs_per_min: 1 });
    take(session('user'), undefined, one);
    now = 0;
    expect(() => take(session('user'), undefined, one)).not.toThrow();
  });

  test('a node whose clock is ahead admits requests when the minute of the database ends', async () => {
    const one = model({ max_reqs_per_min: 1, unique_params: 'IP' });
    let now = 59_999;
    await beginningOfMinute();
    const take = createRateLimiter(database.database, () => now);
    await take(session('user'), '10.3.0.1', one);
    now = 60_000;
    await expect(Promise.resolve(take(session('user'), '10.3.0.1', one))).rejects.toThrow('more than 1 requests');
    await passMinutes(1);
    now = 120_000;
    await take(session('user'), '10.3.0.1', one);
  });

  test('a count of a clock that was ahead ends when the clock is right', async () => {
    const one = model({ max_reqs_per_min: 1, unique_params: 'IP' });
    await createRateLimiter(database.database)(session('user'), '10.2.0.1', one);
    await passMinutes(-60);
    await createRateLimiter(database.database)(session('user'), '10.2.0.1', one);
    await passMinutes(-1);
    const next = createRateLimiter(database.database);
    await expect(Promise.resolve(next(session('user'), '10.2.0.1', one))).rejects.toThrow('more than 1 requests');
  });

  /** Waits for a minute of the database that has more than 5 seconds left. */
  const beginningOfMinute = () =>
    until('a minute begins', async () => {
      const text = 'select extract(second from clock_timestamp()) < 55';
      return (await database.database.query({ text, values: [] })).rows[0]?.[0] === 't';
    });

  /** Changes all counts to those of a minute that is further in the past. */
  const passMinutes = (minutes: number) =>
    database.database.query({ text: 'update joinery.request_counts set minute = minute - $1', values: [minutes] });

  test('counts callers over all nodes whose role is longer than an index entry, or contains NUL', async () => {
    const take = createRateLimiter(database.database, () => 300_000);
    const one = model({ max_reqs_per_min: 1 });
    for (const role of [randomBytes(50_000).toString('hex'), 'a\0b']) {
      await take(session(role), undefined, one);
      await expect(Promise.resolve(take(session(role), undefined, one))).rejects.toThrow(
        expect.objectContaining({ code: 'rate-limit-exceeded' }),
      );
    }
  });

  test('counts callers over all nodes whose unique parameters are longer than an index entry separately', async () => {
    const take = createRateLimiter(database.database, () => 240_000);
    const one = model({ max_reqs_per_min: 1, unique_params: 'IP' });
    // Random, because PostgreSQL compresses repetitions.
    const long = randomBytes(50_000).toString('hex');
    await take(session('user'), `${long}1`, one);
    await take(session('user'), `${long}2`, one);
    await expect(Promise.resolve(take(session('user'), `${long}1`, one))).rejects.toThrow(
      expect.objectContaining({ code: 'rate-limit-exceeded' }),
    );
    const stored = await database.database.query({
      text: 'select max(length(caller)) from joinery.request_counts',
      values: [],
    });
    expect(Number(stored.rows[0]?.[0])).toBeLessThan(1_000);
  });
});

describe('the allow list', () => {
  let withAllowList: TestService;

  beforeAll(async () => {
    await service.stop();
    withAllowList = await startService({ JOINERY_ENABLE_ALLOWLIST: 'true' }, database);
    service = withAllowList;
    const queries = [{ name: 'authors', query: 'query Authors { author { id name } }' }];
    await withAllowList.command('create_query_collection', { name: 'all', definition: { queries } });
    await withAllowList.command('create_query_collection', {
      name: 'editors',
      definition: { queries: [{ name: 'ids', query: '{ author { id } }' }] },
    });
    await withAllowList.command('add_collection_to_allowlist', { collection: 'all' });
    await withAllowList.command('add_collection_to_allowlist', {
      collection: 'editors',
      scope: { global: false, roles: ['editor'] },
    });
  });

  test('accepts its queries with other whitespace, comments and __typename', async () => {
    expect(await request('query Authors { author { id name } }')).toEqual(anyData);
    expect(await request('query Authors {\n  author { # comment\n id, __typename name }\n}')).toEqual(anyData);
    expect(await request('query Authors { author { name id } }')).toEqual(error('validation-failed'));
    expect(await request('{ __schema { queryType { name } } }')).toEqual(error('validation-failed'));
  });

  test('accepts a query for the roles of its scope only, and any query of admin', async () => {
    expect(await request('{ author { id } }', 'editor')).toEqual(anyData);
    expect(await request('{ author { id } }')).toEqual(error('validation-failed'));
    expect(await request('{ author { name } }', 'admin')).toEqual(anyData);
    await withAllowList.command('update_scope_of_collection_in_allowlist', {
      collection: 'editors',
      scope: { global: true },
    });
    expect(await request('{ author { id } }')).toEqual(anyData);
    await withAllowList.command('drop_collection_from_allowlist', { collection: 'editors' });
    expect(await request('{ author { id } }')).toEqual(error('validation-failed'));
  });

  test('prevents the drop of a collection without cascade', async () => {
    const drop = (cascade: boolean) =>
      withAllowList.post('/v1/query', { type: 'drop_query_collection', args: { collection: 'all', cascade } });
    expect((await drop(false)).status).toBe(400);
    expect((await drop(true)).status).toBe(200);
    expect(await withAllowList.command('export_metadata', {})).not.toHaveProperty('allowlist');
  });
});
