/** Reports about API limits: the stored and recent operations that they reject, and limits that are not enforced. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text, secret text);
  insert into author values (1, 'Ada', 'x'), (2, 'Grace', 'y');
  create function slow() returns setof author language sql stable as 'select author.* from author, pg_sleep(0.05)';
  create function slower() returns setof author language sql stable as 'select author.* from author, pg_sleep(20)';
`;

const permission = (role: string, columns: readonly string[]) => ({ role, permission: { columns, filter: {} } });
const small = '{ author { id } }';
const large = 'query Large { author { id name again: name } }';
const secret = 'query Secret { author { id name secret } }';

const metadata = (limits: object) => ({
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'author',
          select_permissions: [permission('user', ['id', 'name']), permission('editor', ['id', 'name', 'secret'])],
        },
      ],
      functions: [{ function: 'slow' }, { function: 'slower' }],
    },
  ],
  query_collections: [
    {
      name: 'app',
      definition: {
        queries: [
          { name: 'small', query: small },
          { name: 'large', query: large },
          { name: 'secret', query: secret },
        ],
      },
    },
  ],
  rest_endpoints: [
    {
      name: 'authors',
      url: 'authors',
      methods: ['GET'],
      definition: { query: { collection_name: 'app', query_name: 'large' } },
    },
  ],
  api_limits: limits,
});

const as = (role: string) => ({ 'x-service-role': role });
const anyData = expect.objectContaining({ data: expect.anything() });

/** Functions with the service of `settings`, on a database of its own. */
function serviceWith(settings: Readonly<Record<string, string>>) {
  let database: TestDatabase;
  let service: TestService;
  beforeAll(async () => {
    database = await testDatabase({ sql, migrated: true });
    service = await startService(settings, database);
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });
  return {
    apply: (limits: object, options: object = {}) =>
      service.command('replace_metadata', { metadata: metadata(limits), ...options }),
    send: (query: string, role = 'user') => service.graphql(query, as(role)),
    batch: (size: number, role = 'user') =>
      service.post(
        '/v1/graphql',
        Array.from({ length: size }, () => ({ query: small })),
        as(role),
      ),
    command: (type: string, args: unknown) => service.command(type, args),
    limited: () => service.command('get_limited_operations', {}),
    metrics: async () => (await fetch(`${service.url}/metrics`)).text(),
  };
}

describe('an enforced limit', () => {
  const { apply, command, send, batch, limited } = serviceWith({});

  afterEach(() => apply({}));

  test('is a warning of the metadata with the stored operations that it rejects, for the roles that may send them', async () => {
    const limits = { node_limit: { global: 3 } };
    const warning = {
      type: 'api_limits',
      name: 'node_limit 3',
      path: '$.api_limits.node_limit.global',
      code: 'node-limit-exceeded',
      message:
        'node_limit 3 rejects query "large" of collection "app" (REST endpoint "authors") with 4 fields, roles editor, user; ' +
        'query "secret" of collection "app" with 4 fields, role editor',
    };
    expect(await apply(limits)).toMatchObject({ is_consistent: true, warnings: [warning] });
    expect(await command('set_api_limits', limits)).toEqual({ message: 'success', warnings: [warning] });
    const bulk = [
      { type: 'set_api_limits', args: limits },
      { type: 'remove_api_limits', args: {} },
    ];
    expect(await command('bulk', bulk)).toEqual([{ message: 'success', warnings: [warning] }, { message: 'success' }]);
    expect(await apply(limits, { dry_run: true })).toMatchObject({ warnings: [warning] });
    expect(await apply(limits, { allow_warnings: false })).toMatchObject({ warnings: [warning] });
    const [, , other] = metadata({}).query_collections[0]?.definition.queries ?? [];
    expect(await limited()).toMatchObject({
      enforced: true,
      limits: [
        {
          limit: 'node_limit',
          most: 3,
          operations: [
            { kind: 'stored', name: 'large', endpoints: ['authors'], roles: ['editor', 'user'], value: 4 },
            { kind: 'stored', name: other?.name, roles: ['editor'], value: 4 },
          ],
        },
      ],
    });
  });

  test('is compared with the role that has a limit of its own', async () => {
    const result = await apply({ node_limit: { global: 3, per_role: { editor: 4 } } });
    expect(result).toMatchObject({
      warnings: [{ message: expect.stringMatching(/"large" .* with 4 fields, role user$/) }],
    });
    expect(await apply({ node_limit: { global: 4, per_role: { editor: 3 } } })).toMatchObject({
      warnings: [{ path: '$.api_limits.node_limit.per_role.editor' }],
    });
  });

  test('has no warning if it is disabled, or if no operation is beyond it', async () => {
    expect(await apply({ disabled: true, node_limit: { global: 1 } })).not.toHaveProperty('warnings');
    expect(await apply({ node_limit: { global: 4 }, depth_limit: { global: 2 } })).not.toHaveProperty('warnings');
  });

  test('is compared with recent operations of the role, but not with those of admins', async () => {
    await apply({});
    expect(await send('query Recent { author { id a: name b: name c: name } }')).toEqual(anyData);
    expect(await send('query Admin { author { id a: name b: name c: name d: name } }', 'admin')).toEqual(anyData);
    expect((await batch(7)).body).toHaveLength(7);
    await apply({ node_limit: { global: 4 }, batch_limit: { global: 6 } });
    expect(await limited()).toMatchObject({
      limits: [
        {
          limit: 'node_limit',
          operations: [
            { kind: 'recent', name: 'Recent', roles: ['user'], value: 5, hash: expect.stringMatching(/^\w{16}$/) },
          ],
        },
        { limit: 'batch_limit', most: 6, operations: [{ roles: ['user'], value: 7 }] },
      ],
    });
  });

  test('of the rate is compared with the busiest minute of the role', async () => {
    await apply({});
    expect((await batch(9, 'editor')).body).toHaveLength(9);
    // A new minute may begin once during the requests.
    await apply({ rate_limit: { global: { max_reqs_per_min: 3 } } });
    expect(await limited()).toMatchObject({
      limits: [
        {
          limit: 'rate_limit',
          most: 3,
          operations: expect.arrayContaining([
            { kind: 'recent', name: null, roles: ['editor'], value: expect.any(Number) },
          ]),
        },
      ],
    });
  });

  test('of the time may be a fraction of a second', async () => {
    await apply({ time_limit: { global: 0.8 } });
    const slow = 'query Slow { slower { id } }';
    expect(await send(slow)).toMatchObject({ errors: [{ extensions: { code: 'time-limit-exceeded' } }] });
    const operations = expect.arrayContaining([expect.objectContaining({ name: 'Slow', roles: ['user'], count: 1 })]);
    expect(await limited()).toMatchObject({ limits: [{ limit: 'time_limit', most: 0.8, operations }] });
  });
});

describe('a limit that is not enforced', () => {
  const { apply, send, batch, limited, metrics } = serviceWith({
    JOINERY_ENFORCE_API_LIMITS: 'false',
    JOINERY_MAX_BATCH_SIZE: '5',
    JOINERY_MAX_QUERY_DEPTH: '6',
  });

  afterEach(() => apply({}));

  test.each([
    ['depth_limit', { global: 1 }, small],
    ['node_limit', { global: 1 }, small],
    ['time_limit', { global: 0.001 }, '{ slow { id } }'],
    ['rate_limit', { global: { max_reqs_per_min: 1 } }, small],
  ])('does not reject, and counts in the metrics: %s', async (limit, value, query) => {
    await apply({ [limit]: value });
    // A new minute may begin once during the requests.
    for (let request = 0; request < 4; request += 1) expect(await send(query)).toEqual(anyData);
    expect(await metrics()).toMatch(new RegExp(`joinery_limit_excesses_total\\{limit="${limit}",role="user"\\} [1-9]`));
    expect(await limited()).toMatchObject({
      enforced: false,
      limits: [{ limit, message: expect.stringContaining('would reject') }],
    });
  });

  test('of batches does not reject, while the limit of the settings does', async () => {
    await apply({ batch_limit: { global: 2 } });
    expect((await batch(4)).body).toHaveLength(4);
    expect(await metrics()).toContain('joinery_limit_excesses_total{limit="batch_limit",role="user"} 1');
    expect((await batch(6)).body).toMatchObject({ errors: [{ extensions: { code: 'batch-limit-exceeded' } }] });
  });

  test('of rows is enforced nevertheless, because Hasura v2 has none', async () => {
    await apply({ row_limit: { global: 1 } });
    expect(await send(small)).toMatchObject({ errors: [{ extensions: { code: 'result-limit-exceeded' } }] });
  });
});
