/** What a caller may cost: walls for everybody, closer ones for roles, rates, the allow list. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { createRateLimiter } from '../../src/service/graphql/rate-limiter.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

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
const ask = (query: string, role = 'user') => service.graphql(query, as(role));
const refused = (code: string) =>
  expect.objectContaining({ errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })] });
const answered = expect.objectContaining({ data: expect.anything() });
const nested = (depth: number): string =>
  depth === 1 ? '{ id }' : `{ ${depth % 2 === 0 ? 'articles' : 'author'} ${nested(depth - 1)} }`;
const deep = (depth: number) => `{ author ${nested(depth - 1)} }`;

describe('walls for everybody', () => {
  test('an operation may be so deep, and not deeper, fragments followed', async () => {
    expect(await ask('{ author { articles { author { articles { author { id } } } } } }')).toEqual(answered);
    expect(
      await ask('{ author { articles { author { articles { author { articles { id } } } } } } }', 'admin'),
    ).toEqual(refused('depth-limit-exceeded'));
    const spread =
      'fragment f on author { articles { author { ...g } } } fragment g on author { articles { author { articles { id } } } }';
    expect(await ask(`{ author { ...f } } ${spread}`)).toEqual(refused('depth-limit-exceeded'));
  });

  test('an operation may select so many fields, counted wherever fragments are spread', async () => {
    const ids = Array.from({ length: 39 }, (_, index) => `a${index}: id`).join(' ');
    expect(await ask(`{ author { ${ids} } }`)).toEqual(answered);
    expect(await ask(`{ author { ${ids} more: id } }`)).toEqual(refused('node-limit-exceeded'));
    const twice =
      'fragment f on author { a: id b: id c: id d: id e: id f: id } fragment g on author { ...f articles { author { ...f } } }';
    expect(await ask(`{ author { ...g } again: author { ...g } third: author { ...g } } ${twice}`)).toEqual(
      refused('node-limit-exceeded'),
    );
  });

  test('spreads that double at each step are counted in no time', async () => {
    const doubling = Array.from(
      { length: 60 },
      (_, i) => `fragment f${i} on author { ...f${i + 1} x: articles { author { ...f${i + 1} } } }`,
    ).join(' ');
    expect(await ask(`{ author { ...f0 } } ${doubling} fragment f60 on author { id }`)).toEqual(
      refused('depth-limit-exceeded'),
    );
  });

  test('an operation may have so many fields at its root, under whatever aliases', async () => {
    const roots = (count: number) =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: author { id }`).join(' ')} }`;
    expect(await ask(roots(5))).toEqual(answered);
    expect(await ask(roots(6))).toEqual(refused('node-limit-exceeded'));
  });

  test('a request may hold so many operations', async () => {
    const batch = (count: number) =>
      service.post(
        '/v1/graphql',
        Array.from({ length: count }, () => ({ query: '{ author { id } }' })),
      );
    expect((await batch(3)).body).toHaveLength(3);
    expect((await batch(4)).body).toEqual(refused('batch-limit-exceeded'));
  });

  test('reading the schema does not count', async () => {
    const query = '{ __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }';
    expect(await ask(query)).toEqual(answered);
  });

  test('sockets are held to them as well', async () => {
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

describe('limits of roles', () => {
  const limits = (more: object) => service.command('set_api_limits', more);

  test('draw the walls closer for a role, and never for admin', async () => {
    await limits({
      depth_limit: { global: 2, per_role: { editor: 4 } },
      node_limit: { global: 6 },
      batch_limit: { global: 1 },
    });
    const three = '{ author { articles { id } } }';
    expect(await ask(three)).toEqual(refused('depth-limit-exceeded'));
    expect(await ask(three, 'editor')).toEqual(answered);
    expect(await ask(three, 'admin')).toEqual(answered);
    expect(await ask('{ author { a: id b: id c: id d: id e: id f: id } }')).toEqual(refused('node-limit-exceeded'));
    const two = [{ query: '{ author { id } }' }, { query: '{ author { id } }' }];
    expect((await service.post('/v1/graphql', two, as('user'))).body).toEqual(refused('batch-limit-exceeded'));
    expect((await service.post('/v1/graphql', two, as('admin'))).body).toHaveLength(2);
  });

  test('are kept but not in force while disabled, and gone when removed', async () => {
    await limits({ disabled: true, depth_limit: { global: 1 } });
    expect(await ask('{ author { id } }')).toEqual(answered);
    expect(await service.command('export_metadata', {})).toMatchObject({ api_limits: { disabled: true } });
    await limits({ depth_limit: { global: 1 } });
    expect(await ask('{ author { id } }')).toEqual(refused('depth-limit-exceeded'));
    await service.command('remove_api_limits', {});
    expect(await ask('{ author { id } }')).toEqual(answered);
    expect(await service.command('export_metadata', {})).not.toHaveProperty('api_limits');
  });

  test('end a request that takes longer than the role may', async () => {
    await limits({ time_limit: { global: 1 } });
    expect(await ask('{ slow { id } }')).toEqual(refused('time-limit-exceeded'));
    await service.command('remove_api_limits', {});
  });

  test('let so many requests of a minute pass, apart for callers that differ', async () => {
    await limits({ rate_limit: { global: { max_reqs_per_min: 2, unique_params: ['X-Service-User-Id'] } } });
    const rates: unknown[] = [];
    const send = async (user: string) =>
      rates.push(await service.graphql('{ author { id } }', { ...as('user'), 'x-service-user-id': user }));
    for (const user of ['1', '1', '1', '1', '1', '2']) await send(user);
    // The minute may turn in between, once.
    const limited = rates.slice(0, 5).filter((one) => 'errors' in (one as object));
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]).toEqual(refused('rate-limit-exceeded'));
    expect(rates[0]).toEqual(answered);
    expect(rates[5]).toEqual(answered);
    expect(await ask('{ author { id } }', 'admin')).toEqual(answered);
    await service.command('remove_api_limits', {});
  });

  test('forbid a role to read the schema', async () => {
    await service.command('set_graphql_schema_introspection_options', { disabled_for_roles: ['user'] });
    expect(await ask('{ __schema { queryType { name } } }')).toEqual(refused('validation-failed'));
    expect(await ask('{ author { __typename id } }')).toEqual(answered);
    expect(await ask('{ __schema { queryType { name } } }', 'editor')).toEqual(answered);
    await service.command('set_graphql_schema_introspection_options', { disabled_for_roles: [] });
  });

  test('that make no sense are refused with their path', async () => {
    const body = { type: 'set_api_limits', args: { depth_limit: { global: 0 } } };
    expect((await service.post('/v1/query', body)).body).toMatchObject({
      code: 'parse-failed',
      path: '$.args.depth_limit.global',
    });
  });
});

describe('a rate', () => {
  const session = (role: string) =>
    ({ role, variables: new Map() }) as unknown as Parameters<ReturnType<typeof createRateLimiter>>[0];
  const model = (limit: object) => ({ limits: { rate_limit: { global: limit } } }) as unknown as Model;
  const limit = model({ max_reqs_per_min: 40, unique_params: 'IP' });

  test('begins anew each minute, and for each address', () => {
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

  test('over all nodes lets exactly so many pass together, with few statements', async () => {
    let statements = 0;
    const shared = {
      ...database.database,
      query: (async (...args: Parameters<typeof database.database.query>) => {
        statements += 1;
        return database.database.query(...args);
      }) as typeof database.database.query,
    };
    const nodes = [createRateLimiter(shared, () => 120_000), createRateLimiter(shared, () => 121_000)];
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
    // The next minute, as the node sees it whose clock is first.
    const later = createRateLimiter(shared, () => 180_000);
    await later(session('user'), '10.0.0.1', limit);
    expect(statements).toBeLessThanOrEqual(23);
  });

  test('over all nodes counts callers whose role is longer than an index can hold, or contains NUL', async () => {
    const take = createRateLimiter(database.database, () => 300_000);
    const one = model({ max_reqs_per_min: 1 });
    for (const role of [randomBytes(50_000).toString('hex'), 'a\0b']) {
      await take(session(role), undefined, one);
      await expect(Promise.resolve(take(session(role), undefined, one))).rejects.toThrow(
        expect.objectContaining({ code: 'rate-limit-exceeded' }),
      );
    }
  });

  test('over all nodes counts callers whose variables are longer than an index can hold, apart', async () => {
    const take = createRateLimiter(database.database, () => 240_000);
    const one = model({ max_reqs_per_min: 1, unique_params: 'IP' });
    // Random, as PostgreSQL would make a repetition short.
    const long = randomBytes(50_000).toString('hex');
    await take(session('user'), `${long}1`, one);
    await take(session('user'), `${long}2`, one);
    await expect(Promise.resolve(take(session('user'), `${long}1`, one))).rejects.toThrow(
      expect.objectContaining({ code: 'rate-limit-exceeded' }),
    );
    const kept = await database.database.query({
      text: 'select max(length(caller)) from joinery.request_counts',
      values: [],
    });
    expect(Number(kept.rows[0]?.[0])).toBeLessThan(1_000);
  });
});

describe('the allow list', () => {
  let guarded: TestService;

  beforeAll(async () => {
    await service.stop();
    guarded = await startService({ JOINERY_ENABLE_ALLOWLIST: 'true' }, database);
    service = guarded;
    const queries = [{ name: 'authors', query: 'query Authors { author { id name } }' }];
    await guarded.command('create_query_collection', { name: 'all', definition: { queries } });
    await guarded.command('create_query_collection', {
      name: 'editors',
      definition: { queries: [{ name: 'ids', query: '{ author { id } }' }] },
    });
    await guarded.command('add_collection_to_allowlist', { collection: 'all' });
    await guarded.command('add_collection_to_allowlist', {
      collection: 'editors',
      scope: { global: false, roles: ['editor'] },
    });
  });

  test('lets pass what is on it, whatever spaces, comments and __typename are added', async () => {
    expect(await ask('query Authors { author { id name } }')).toEqual(answered);
    expect(await ask('query Authors {\n  author { # who\n id, __typename name }\n}')).toEqual(answered);
    expect(await ask('query Authors { author { name id } }')).toEqual(refused('validation-failed'));
    expect(await ask('{ __schema { queryType { name } } }')).toEqual(refused('validation-failed'));
  });

  test("is a role's own where its scope says so, and does not hold for admin", async () => {
    expect(await ask('{ author { id } }', 'editor')).toEqual(answered);
    expect(await ask('{ author { id } }')).toEqual(refused('validation-failed'));
    expect(await ask('{ author { name } }', 'admin')).toEqual(answered);
    await guarded.command('update_scope_of_collection_in_allowlist', {
      collection: 'editors',
      scope: { global: true },
    });
    expect(await ask('{ author { id } }')).toEqual(answered);
    await guarded.command('drop_collection_from_allowlist', { collection: 'editors' });
    expect(await ask('{ author { id } }')).toEqual(refused('validation-failed'));
  });

  test('keeps a collection from being dropped, unless it goes with it', async () => {
    const drop = (cascade: boolean) =>
      guarded.post('/v1/query', { type: 'drop_query_collection', args: { collection: 'all', cascade } });
    expect((await drop(false)).status).toBe(400);
    expect((await drop(true)).status).toBe(200);
    expect(await guarded.command('export_metadata', {})).not.toHaveProperty('allowlist');
  });
});
