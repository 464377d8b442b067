/** Limits of the input values of a request, in variables and in the document. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text unique, tags text[], teacher_id int references author);
  create table article (id int primary key, author_id int references author);
  insert into author values (1, 'Ada', '{a,b}');
`;

const limits = {
  JOINERY_MAX_PREDICATE_MEMBERS: '40',
  JOINERY_MAX_ORDER_BY: '3',
  JOINERY_MAX_DISTINCT_ON: '2',
  JOINERY_MAX_VARIABLE_VALUES: '60',
  JOINERY_MAX_QUERY_CHARACTERS: '3000',
};

let service: TestService;
let standard: TestService;

async function withAuthors(environment: Readonly<Record<string, string>>): Promise<TestService> {
  const started = await startService(environment, { sql });
  await started.command('track_table', 'author');
  await started.command('track_table', 'article');
  await started.command('create_array_relationship', {
    table: 'author',
    name: 'articles',
    using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
  });
  await started.command('create_object_relationship', {
    table: 'article',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  });
  await started.command('create_object_relationship', {
    table: 'author',
    name: 'teacher',
    using: { foreign_key_constraint_on: 'teacher_id' },
  });
  for (const table of ['author', 'article']) {
    const permission = { columns: '*', filter: {} };
    await started.command('create_select_permission', { table, role: 'user', permission });
  }
  return started;
}

beforeAll(async () => {
  service = await withAuthors(limits);
  standard = await withAuthors({});
});

afterAll(async () => {
  await service?.stop();
  await standard?.stop();
});

interface Result {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions: { readonly code: string; readonly path: string } }[];
}

/** Returns code and path of the first error; undefined without errors. */
async function errorOf(query: string, variables?: unknown, on = service): Promise<readonly string[] | undefined> {
  const { errors } = (await on.graphql(query, {}, variables)) as Result;
  const [error] = errors ?? [];
  return error && [error.extensions.code, error.extensions.path];
}

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);
/** Returns `value` as a GraphQL literal in which strings are enum values. */
const literal = (value: unknown): string => JSON.stringify(value).replaceAll('"', '');

const whereQuery = 'query ($value: author_bool_exp) { author(where: $value) { id } }';
const orderQuery = 'query ($value: [author_order_by!]) { author(order_by: $value) { id } }';
const distinctQuery = 'query ($value: [author_select_column!]) { author(distinct_on: $value) { id } }';

describe.each([
  ['members of a condition', whereQuery, 'where', { _or: times(20, { id: { _eq: 1 } }) }, 'variables.value._or[19].id'],
  ['empty members of _or', whereQuery, 'where', { _or: times(40, {}) }, 'variables.value._or[39]'],
  ['members of _and', whereQuery, 'where', { _and: times(20, { id: { _gt: 0 } }) }, 'variables.value._and[19].id'],
  [
    'conditions behind a relationship',
    whereQuery,
    'where',
    { articles: { _or: times(20, { id: { _eq: 1 } }) } },
    'variables.value.articles._or[19]',
  ],
  [
    'conditions on aggregates',
    whereQuery,
    'where',
    { _not: { _or: times(10, { articles_aggregate: { count: { predicate: { _gt: 1 } } } }) } },
    'variables.value._not._or[9].articles_aggregate.count',
  ],
  ['terms of order_by', orderQuery, 'order_by', times(4, { id: 'asc' }), 'selectionSet.author.args.order_by'],
  [
    'terms of order_by in one object',
    orderQuery,
    'order_by',
    times(2, { id: 'asc', name: 'desc' }),
    'selectionSet.author.args.order_by',
  ],
  ['empty terms of order_by', orderQuery, 'order_by', times(41, {}), 'variables.value[40]'],
  [
    'columns of distinct_on',
    distinctQuery,
    'distinct_on',
    ['id', 'name', 'id'],
    'selectionSet.author.args.distinct_on',
  ],
] as const)('%s', (_what, query, argument, value, path) => {
  it('are limited in a variable', async () => {
    expect(await errorOf(query, { value })).toEqual(['input-limit-exceeded', `$.${path}`]);
  });

  it('are limited in the document', async () => {
    const [code, path] = (await errorOf(`{ author(${argument}: ${literal(value)}) { id } }`)) ?? [];
    expect(code).toBe('input-limit-exceeded');
    expect(path).toMatch(new RegExp(`^\\$\\.selectionSet\\.author\\.args\\.${argument}`));
  });
});

describe('input within the limits', () => {
  it.each([
    ['a condition of 39 members', whereQuery, { _or: times(19, { id: { _eq: 1 } }) }],
    ['three terms of order_by', orderQuery, times(3, { id: 'asc' })],
    ['two columns of distinct_on', distinctQuery, ['id', 'name']],
  ])('is accepted: %s', async (_what, query, value) => {
    expect(await errorOf(query, { value })).toBeUndefined();
  });
});

describe('the members of one operation', () => {
  it('are counted at each use of a variable', async () => {
    const query = (uses: number) =>
      `query ($value: author_bool_exp) { ${times(uses, 0)
        .map((_, index) => `a${index}: author(where: $value) { id }`)
        .join(' ')} }`;
    const value = { _or: times(6, { id: { _eq: 1 } }) };
    expect(await errorOf(query(3), { value })).toBeUndefined();
    expect(await errorOf(query(4), { value })).toEqual([
      'input-limit-exceeded',
      '$.selectionSet.author.args.where._or[0]',
    ]);
  });

  it('are limited in subscriptions of both protocols', async () => {
    for (const [protocol, start] of [
      ['graphql-transport-ws', 'subscribe'],
      ['graphql-ws', 'start'],
    ] as const) {
      const client = await frameClient(service.url, { protocol });
      client.send({ type: 'connection_init' });
      expect(await client.next()).toMatchObject({ type: 'connection_ack' });
      const query = 'subscription ($value: author_bool_exp) { author(where: $value) { id } }';
      client.send({ id: '1', type: start, payload: { query, variables: { value: { _or: times(20, { id: {} }) } } } });
      expect(JSON.stringify(await client.next())).toContain('input-limit-exceeded');
      await client.close();
    }
  });

  it('are limited in the conditions of update_many', async () => {
    const query = 'mutation ($u: [author_updates!]!) { update_author_many(updates: $u) { affected_rows } }';
    const update = { where: { id: { _eq: 0 } }, _set: { name: 'x' } };
    expect(await errorOf(query, { u: times(4, update) })).toBeUndefined();
    expect(await errorOf(query, { u: times(21, update) })).toEqual(['input-limit-exceeded', '$.variables.u[13]']);
  });
});

describe('the values of variables', () => {
  const insert = 'mutation ($r: [author_insert_input!]!) { insert_author(objects: $r) { affected_rows } }';

  it('are limited in the columns of inserted rows', async () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: 100 + index, name: `n${index}` }));
    expect(await errorOf(insert, { r: rows(21) })).toEqual(['input-limit-exceeded', '$.variables.r[19]']);
    expect(await errorOf(insert, { r: rows(20) })).toBeUndefined();
  });

  it('are limited in the items of _in', async () => {
    const query = 'query ($ids: [Int!]) { author(where: { id: { _in: $ids } }) { id } }';
    expect(await errorOf(query, { ids: times(61, 1) })).toEqual(['input-limit-exceeded', '$.variables.ids']);
    expect(await errorOf(query, { ids: times(60, 1) })).toBeUndefined();
  });

  it('are rejected uncounted if the operation does not declare the variable', async () => {
    expect(await errorOf('{ author { id } }', { other: times(100, {}) })).toEqual(['validation-failed', '$.variables']);
  });
});

describe('the text of a document', () => {
  it('is limited before it is parsed', async () => {
    expect(await errorOf(`{ author { id } } #${'x'.repeat(3_000)}`)).toEqual(['input-limit-exceeded', '$.query']);
    expect(await errorOf(`{ author { id } } ${'{'.repeat(3_000)}`)).toEqual(['input-limit-exceeded', '$.query']);
  });

  it('cannot introspect fields under hundreds of aliases', async () => {
    const aliases = (count: number) => times(count, 0).map((_, index) => `a${index}: name`);
    expect(await errorOf(`{ __schema { types { ${aliases(100).join(' ')} } } }`)).toBeUndefined();
    const many = `{ __schema { types { ${aliases(700).join(' ')} } } }`;
    expect(await errorOf(many, undefined, standard)).toEqual(['node-limit-exceeded', '$.query']);
  });
});

describe('the default limits', () => {
  it('reject 40,000 terms of order_by', async () => {
    expect(await errorOf(orderQuery, { value: times(40_000, { id: 'asc' }) }, standard)).toEqual([
      'input-limit-exceeded',
      '$.variables.value[10000]',
    ]);
  });

  it('reject 100,000 members of _or', async () => {
    expect(await errorOf(whereQuery, { value: { _or: times(100_000, { id: { _eq: 1 } }) } }, standard)).toEqual([
      'input-limit-exceeded',
      '$.variables.value._or[4999].id',
    ]);
  });

  it('accept 4,000 comparisons, 100 terms of order_by and 50,000 items of _in', async () => {
    const value = { _or: times(4_000, { id: { _eq: 1 } }) };
    expect(await errorOf(whereQuery, { value }, standard)).toBeUndefined();
    expect(await errorOf(orderQuery, { value: times(100, { id: 'asc' }) }, standard)).toBeUndefined();
    const ids = { id: { _in: times(50_000, 1) } };
    expect(await errorOf(whereQuery, { value: ids }, standard)).toBeUndefined();
  });

  it('reject an order_by through more than 100 relationships', async () => {
    const through = (levels: number) => [
      JSON.parse(`${'{"teacher":'.repeat(levels)}{"id":"asc"}${'}'.repeat(levels)}`),
    ];
    expect(await errorOf(orderQuery, { value: through(20) }, standard)).toBeUndefined();
    expect(await errorOf(orderQuery, { value: through(101) }, standard)).toEqual([
      'validation-failed',
      '$.selectionSet.author.args.order_by',
    ]);
  });

  it('reject a bulk of more than 5,000 commands', async () => {
    const bulk = (count: number) => standard.post('/v1/metadata', { type: 'bulk', args: times(count, version) });
    const version = { type: 'get_resource_version', args: {} };
    expect(await bulk(5_000)).toMatchObject({ status: 200 });
    expect(await bulk(5_001)).toMatchObject({ status: 400, body: { code: 'batch-limit-exceeded', path: '$.args' } });
  });
});
