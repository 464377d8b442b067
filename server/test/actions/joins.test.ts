/** Relationships from the output of actions to tables and, through them, to a remote schema. */
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { type Engine, type SentStatement, startEngine } from '../support/service/engine.ts';
import { metadataFor, placed, remoteSchema, sql } from './shop.ts';

let db: TestDatabase;
let handler: HandlerServer;
let remote: GraphQLServer;
let engine: Engine;
/** The statements of the last request. */
let statements: readonly SentStatement[] = [];

beforeAll(async () => {
  db = await testDatabase({ sql });
  remote = await startGraphQLServer(remoteSchema, {
    badge: ({ customerId }: { customerId: number }) => {
      if (customerId === 666) throw new Error('no badge');
      return { text: `badge of ${customerId}` };
    },
  });
  handler = await startHandlerServer({
    '/placed': (call) => ({ ...placed, ...(call.body.input as object) }),
    '/list': () => [
      placed,
      { ...placed, customerId: 2 },
      { ...placed, customerId: null },
      null,
      { ...placed, customerId: 7_777 },
    ],
    '/many': () => Array.from({ length: 1_000 }, (_, index) => ({ ...placed, customerId: index + 1 })),
    '/nested': () => ({ id: 1, first: placed, rest: [{ ...placed, customerId: 2 }, placed], inner: { first: placed } }),
    '/wrong': () => [{ ...placed, customerId: 'one' }],
  });
  engine = await startEngine({
    metadata: metadataFor(handler.url, remote.url),
    databases: { default: db.database },
    upstreams: { badges: buildSchema(remoteSchema) },
  });
});

afterAll(async () => {
  await Promise.all([engine.close(), handler.close(), remote.close()]);
  await db.drop();
});

beforeEach(() => {
  handler.reset();
  remote.reset();
});

interface Result {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly unknown[];
}

/** Runs a request as admin, or as role `user` with that id. */
async function run(query: string, variables: Readonly<Record<string, unknown>> = {}, userId?: string): Promise<Result> {
  const user = userId === undefined ? {} : { role: 'user', session: { 'x-service-user-id': userId } };
  const response = await engine.execute({ query, variables, ...user });
  statements = response.statements;
  return parseJson(response.body) as Result;
}

function listIn(data: Result['data'], name: string): readonly unknown[] {
  const list = data?.[name];
  if (!Array.isArray(list)) throw new Error(`${name} is not a list`);
  return list;
}

test('the metadata of these tests is consistent', () => {
  expect(engine.inconsistencies).toEqual([]);
});

describe('the output of an action', () => {
  test('has a joined row whose key field is not selected', async () => {
    expect(await run('mutation { placed { total customer { name } } }')).toEqual({
      data: { placed: { total: 5, customer: { name: 'customer 1' } } },
    });
    expect(statements).toHaveLength(1);
  });

  test('has joined rows with all arguments of the table, and their aggregates', async () => {
    const query = `query ($least: Int!) {
      list {
        lines(where: { qty: { _gte: $least } }, order_by: { qty: desc }, limit: 1) { product }
        all: lines(order_by: { id: asc }, offset: 1) { id price }
        distinct: lines(distinct_on: product, order_by: { product: asc }) { product }
        lines_aggregate(where: { qty: { _gte: $least } }) { aggregate { count sum { qty } } nodes { product } }
      }
    }`;
    const { data } = await run(query, { least: 2 });
    const first = {
      lines: [{ product: 'pen' }],
      all: [
        { id: 2, price: parseJson('12345678901234567890.10') },
        { id: parseJson('9007199254740993'), price: 4 },
      ],
      distinct: [{ product: 'ink' }, { product: 'pad' }, { product: 'pen' }],
      lines_aggregate: { aggregate: { count: 2, sum: { qty: 5 } }, nodes: [{ product: 'pen' }, { product: 'pad' }] },
    };
    const noRows = {
      lines: [],
      all: [],
      distinct: [],
      lines_aggregate: { aggregate: { count: 0, sum: { qty: null } }, nodes: [] },
    };
    expect(data?.list).toEqual([
      first,
      expect.objectContaining({ lines: [{ product: 'pen' }], all: [], distinct: [{ product: 'pen' }] }),
      noRows,
      null,
      noRows,
    ]);
    expect(statements).toHaveLength(4);
  });

  test('has null for an object and [] for a list if the key is null or has no match', async () => {
    const { data } = await run('{ list { customer { id } lines { id } } }');
    expect(data?.list).toEqual([
      { customer: { id: 1 }, lines: expect.arrayContaining([{ id: 1 }]) },
      { customer: { id: 2 }, lines: [{ id: 4 }] },
      { customer: null, lines: [] },
      null,
      { customer: null, lines: [] },
    ]);
  });

  test('is joined by several fields, and does not match if one of them is null', async () => {
    const query = 'mutation ($code: Int) { placed(code: $code) { depot { name } } }';
    expect((await run(query)).data).toEqual({ placed: { depot: { name: 'N1' } } });
    expect((await run(query, { code: 0 })).data).toEqual({ placed: { depot: { name: 'N0' } } });
    expect((await run(query, { code: 9 })).data).toEqual({ placed: { depot: null } });
    expect(statements).toHaveLength(1);
    expect((await run(query, { code: null })).data).toEqual({ placed: { depot: null } });
    expect(statements).toHaveLength(0);
  });

  test('is joined by the values of the handler, regardless of aliases', async () => {
    const query = `{ list {
      customerId: code
      key: customerId
      owner: customer { customerId: id name: __typename }
      friend { id }
      __typename
    } }`;
    const { data } = await run(query);
    expect(listIn(data, 'list')[1]).toEqual({
      customerId: 1,
      key: 2,
      owner: { customerId: 2, name: 'customer' },
      friend: { id: 2 },
      __typename: 'Placed',
    });
  });

  test('has the fields in the order of the request', async () => {
    const { data } = await run('mutation { placed { customer { name id } total lines { id } customerId } }');
    expect(Object.keys(Object(data?.placed))).toEqual(['customer', 'total', 'lines', 'customerId']);
  });

  test('is joined at any depth, with one statement for each selection', async () => {
    const { data } = await run(`{ nested {
      id
      first { customer { name } }
      rest { customer { name } depot { name } }
      inner { first { lines(order_by: { id: asc }, limit: 1) { product } } }
    } }`);
    expect(data?.nested).toEqual({
      id: 1,
      first: { customer: { name: 'customer 1' } },
      rest: [
        { customer: { name: 'customer 2' }, depot: { name: 'N1' } },
        { customer: { name: 'customer 1' }, depot: { name: 'N1' } },
      ],
      inner: { first: { lines: [{ product: 'pen' }] } },
    });
    expect(statements).toHaveLength(4);
  });

  test('merges fragments and repeated fields', async () => {
    const { data } = await run(`
      query { list { ...one ... on Placed { customer { name } } } }
      fragment one on Placed { customer { id } code @include(if: false) }
    `);
    expect(listIn(data, 'list')[0]).toEqual({ customer: { id: 1, name: 'customer 1' } });
    expect(statements).toHaveLength(1);
  });
});

describe('a list of 1,000 objects', () => {
  test('is joined to a table by one statement', async () => {
    const { data } = await run('{ many { customer { id name } } }');
    expect(data?.many).toHaveLength(1_000);
    expect(listIn(data, 'many')[999]).toEqual({ customer: { id: 1_000, name: 'customer 1000' } });
    expect(statements).toHaveLength(1);
    expect(handler.calls).toHaveLength(1);
  });

  test('is joined to a table and through it to a remote schema by one statement and one upstream request', async () => {
    const { data } = await run('{ many { customer { name badge { text } } } }');
    expect(listIn(data, 'many')[499]).toEqual({
      customer: { name: 'customer 500', badge: { text: 'badge of 500' } },
    });
    expect(statements).toHaveLength(1);
    expect(remote.requests).toHaveLength(1);
  });

  test('has the path of an error in a joined row, and all other rows', async () => {
    const { data, errors } = await run('{ many { customer { id badge { text } } } }');
    expect(errors).toMatchObject([{ message: 'no badge', path: ['many', 665, 'customer', 'badge'] }]);
    expect(listIn(data, 'many').slice(664, 667)).toEqual([
      { customer: { id: 665, badge: { text: 'badge of 665' } } },
      { customer: { id: 666, badge: null } },
      { customer: { id: 667, badge: { text: 'badge of 667' } } },
    ]);
    expect(listIn(data, 'many')).toHaveLength(1_000);
  });

  test('is joined to a table and its related table by one statement', async () => {
    const { data } = await run('{ many { customer { lines(order_by: { id: asc }) { product } } } }');
    expect(listIn(data, 'many').slice(0, 3)).toEqual([
      { customer: { lines: [{ product: 'pen' }, { product: 'ink' }, { product: 'pad' }] } },
      { customer: { lines: [{ product: 'pen' }] } },
      { customer: { lines: [] } },
    ]);
    expect(statements).toHaveLength(1);
  });
});

describe('a role', () => {
  test('gets the joined rows that its permissions allow', async () => {
    const { data } = await run(
      '{ list { customer { name badge { text } } lines(order_by: { id: asc }) { product } } }',
      {},
      '2',
    );
    expect(data?.list).toEqual([
      { customer: null, lines: [{ product: 'pen' }, { product: 'ink' }] },
      { customer: { name: 'customer 2', badge: { text: 'badge of 2' } }, lines: [{ product: 'pen' }] },
      { customer: null, lines: [] },
      null,
      { customer: null, lines: [] },
    ]);
  });

  test('needs no permission on the mapped column', async () => {
    expect((await run('{ list { friend { id } } }', {}, '2')).data?.list).toContainEqual({ friend: { id: 2 } });
  });

  test.each([
    [
      'a column without permission',
      '{ list { customer { key } } }',
      '$.selectionSet.list.selectionSet.customer.selectionSet.key',
    ],
    ['a table without permission', '{ list { depot { name } } }', '$.selectionSet.list.selectionSet.depot'],
    [
      'an aggregate without permission',
      '{ list { lines_aggregate { aggregate { count } } } }',
      '$.selectionSet.list.selectionSet.lines_aggregate',
    ],
  ])('cannot select %s', async (_what, query, path) => {
    const { errors } = await run(query, {}, '2');
    expect(errors).toMatchObject([{ extensions: { code: 'validation-failed', path } }]);
    expect(handler.calls).toHaveLength(0);
  });
});

describe('a request', () => {
  test('with an argument of an object relationship is rejected before the handler is called', async () => {
    const { errors } = await run('{ list { customer(limit: 4) { name } } }');
    expect(errors).toMatchObject([
      { extensions: { code: 'validation-failed', path: '$.selectionSet.list.selectionSet.customer' } },
    ]);
    expect(handler.calls).toHaveLength(0);
  });

  test('whose handler responds with the wrong type results in an error and sends no statement', async () => {
    const { data, errors } = await run('{ wrong { customer { name } } }');
    expect(data).toBeUndefined();
    expect(errors).toEqual([
      {
        message: expect.stringContaining('response[0].customerId: expected Int, found a string'),
        extensions: { path: '$.selectionSet.wrong', code: 'unexpected' },
      },
    ]);
    expect(statements).toHaveLength(0);
  });

  test('omits absent arguments and sends nulls, in literals and in variables', async () => {
    const inputs = async (query: string, variables?: Readonly<Record<string, unknown>>) => {
      handler.reset();
      await run(query, variables);
      return handler.calls[0]?.body.input;
    };
    expect(await inputs('mutation { placed(code: null) { total } }')).toEqual({ code: null });
    const query = 'mutation ($a: Int, $b: Int = 3) { placed(customerId: $a, code: $b) { total } }';
    expect(await inputs(query)).toEqual({ code: 3 });
    expect(await inputs(query, { a: null, b: null })).toEqual({ customerId: null, code: null });
    expect(await inputs(query, { a: 1 })).toEqual({ customerId: 1, code: 3 });
  });

  test('with several actions calls each and returns each under its alias', async () => {
    const { data } = await run('{ a: list { total } b: many { code } rows: customer(limit: 1) { __typename } }');
    expect(Object.keys(data ?? {})).toEqual(['a', 'b', 'rows']);
    expect(handler.calls.map(({ path }) => path).sort()).toEqual(['/list', '/many']);
  });
});
