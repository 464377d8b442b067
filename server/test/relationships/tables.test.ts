/** Relationships from tables to another database and to a remote schema, and requests with root fields of several kinds. */
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { type Engine, type EngineRequest, type SentStatement, startEngine } from '../support/service/engine.ts';
import { until } from '../support/until.ts';

const shopTables = `
  create table customer (id bigint primary key, name text, country text, parent_id bigint references customer);
  create table visit (id int primary key, customer_id bigint references customer, page text);
  insert into customer values
    (1, 'Ann', 'IS', null), (2, 'Bo', null, 1), (9007199254740993, 'Cy', 'NO', 1), (4, '["x"]', 'IS', null);
  insert into visit values (1, 1, 'a'), (2, 2, 'b'), (3, 1, 'c'), (4, null, 'd');
  create view slow as select pg_sleep(600)::text as nothing;
`;
const billingTables = `
  create table invoice (number text primary key, customer bigint, total numeric, country text);
  insert into invoice values
    ('i1', 1, 10.50, 'IS'), ('i2', 1, 12345678901234567890.25, 'NO'), ('i3', 9007199254740993, 3, 'IS');
  create table rate (country text, valid_from date, percent numeric, primary key (country, valid_from));
  insert into rate values ('IS', '2024-01-01', 24), ('IS', '2020-01-01', 23.5), ('NO', '2020-01-01', 25);
`;
const weather =
  'type Query { report(country: String!): Report, now: String } type Report { text: String, echo(text: String): String }';

const metadata = (handler: string, remote: string) => ({
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'customer',
          object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
          array_relationships: [
            { name: 'visits', using: { foreign_key_constraint_on: { table: 'visit', column: 'customer_id' } } },
          ],
          remote_relationships: [
            {
              name: 'invoices',
              definition: {
                to_source: {
                  source: 'billing',
                  table: 'invoice',
                  relationship_type: 'array',
                  field_mapping: { id: 'customer' },
                },
              },
            },
            {
              name: 'rate',
              definition: {
                to_source: {
                  source: 'billing',
                  table: 'rate',
                  relationship_type: 'object',
                  field_mapping: { country: 'country' },
                },
              },
            },
            {
              name: 'weather',
              definition: {
                to_remote_schema: {
                  remote_schema: 'weather',
                  lhs_fields: ['country'],
                  remote_field: { report: { arguments: { country: '$country' } } },
                },
              },
            },
          ],
          select_permissions: [{ role: 'user', permission: { columns: ['id', 'name'], filter: { id: { _lt: 100 } } } }],
        },
        {
          table: 'visit',
          object_relationships: [{ name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } }],
        },
        { table: 'slow' },
      ],
    },
    {
      name: 'billing',
      tables: [
        {
          table: 'invoice',
          remote_relationships: [
            {
              name: 'customer_row',
              definition: {
                to_source: {
                  source: 'default',
                  table: 'customer',
                  relationship_type: 'object',
                  field_mapping: { customer: 'id' },
                },
              },
            },
          ],
          select_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['number', 'customer'],
                filter: { country: { _eq: 'X-Service-Country' } },
                allow_aggregations: true,
              },
            },
          ],
        },
        { table: 'rate' },
      ],
    },
  ],
  remote_schemas: [{ name: 'weather', definition: { url: remote } }],
  custom_types: { objects: [{ name: 'Slow', fields: [{ name: 'text', type: 'String!' }] }] },
  actions: [
    ...['first', 'second', 'fail'].map((name) => ({ name, type: 'mutation' })),
    ...['concurrent', 'failing'].map((name) => ({ name, type: 'query' })),
  ].map(({ name, type }) => ({ name, definition: { type, output_type: 'Slow', handler: `${handler}/${name}` } })),
});

let shop: TestDatabase;
let billing: TestDatabase;
let remote: GraphQLServer;
let handler: HandlerServer;
let engine: Engine;
let statements: readonly SentStatement[] = [];
/** The number of requests of the remote schema that have arrived. */
let arrived = 0;

/** Waits until `count` statements sleep in the database. */
async function sleeping(count: number): Promise<void> {
  const text = `select count(*) from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%"slow"%' and pid <> pg_backend_pid()`;
  await until(`${count} statements sleep`, async () => {
    return Number((await shop.database.query({ text, values: [] })).rows[0]?.[0]) === count;
  });
}

beforeAll(async () => {
  [shop, billing] = await Promise.all([testDatabase({ sql: shopTables }), testDatabase({ sql: billingTables })]);
  remote = await startGraphQLServer(weather, {
    report: ({ country }: { country: string }) =>
      country === 'NO' ? null : { text: `rain in ${country}`, echo: ({ text }: { text: string }) => text },
    now: 'noon',
  });
  handler = await startHandlerServer({
    '/first': () => ({ text: 'first' }),
    '/second': () => ({ text: 'second' }),
    '/fail': (_call, out) => void out.writeHead(400).end('{"message":"no"}'),
    '/failing': async (_call, out) => {
      await sleeping(1);
      out.writeHead(400).end('{"message":"no"}');
    },
    '/concurrent': async () => {
      await until('both requests have arrived', () => arrived >= 2);
      return { text: 'concurrent' };
    },
  });
  engine = await startEngine({
    metadata: metadata(handler.url, remote.url),
    databases: { default: shop.database, billing: billing.database },
    upstreams: { weather: buildSchema(weather) },
  });
});
afterAll(async () => {
  await Promise.all([engine.close(), handler.close(), remote.close()]);
  await Promise.all([shop.drop(), billing.drop()]);
});
beforeEach(() => {
  remote.reset();
  handler.reset();
});

async function request(query: string, rest: Omit<EngineRequest, 'query'> = {}): Promise<string> {
  const response = await engine.execute({ query, ...rest });
  statements = response.statements;
  return response.body;
}

test('the metadata is consistent', () => {
  expect(engine.inconsistencies).toEqual([]);
});

describe('relationships to another database', () => {
  test('run one statement for each relationship, and return exact numbers in the order of the request', async () => {
    const body = await request(
      '{ customer(order_by: { id: asc }) { invoices(order_by: { number: asc }) { total } name rate { percent } } }',
    );
    expect(body).toBe(
      '{"data":{"customer":[' +
        '{"invoices":[{"total":10.50},{"total":12345678901234567890.25}],"name":"Ann","rate":{"percent":23.5}},' +
        '{"invoices":[],"name":"Bo","rate":null},' +
        '{"invoices":[],"name":"[\\"x\\"]","rate":{"percent":23.5}},' +
        '{"invoices":[{"total":3}],"name":"Cy","rate":{"percent":25}}]}}',
    );
    expect(statements).toHaveLength(3);
  });

  test('may be selected below objects, lists, nodes and other relationships', async () => {
    const body = await request(`{
      visit_by_pk(id: 2) { customer { parent { invoices_aggregate { aggregate { count } } } } }
      customer_aggregate(where: { name: { _eq: "Cy" } }) {
        aggregate { count }
        nodes { visits { id } invoices { number customer_row { parent { name invoices(limit: 1) { number } } } } }
      }
    }`);
    expect(JSON.parse(body)).toEqual({
      data: {
        visit_by_pk: { customer: { parent: { invoices_aggregate: { aggregate: { count: 2 } } } } },
        customer_aggregate: {
          aggregate: { count: 1 },
          nodes: [
            {
              visits: [],
              invoices: [{ number: 'i3', customer_row: { parent: { name: 'Ann', invoices: [{ number: 'i1' }] } } }],
            },
          ],
        },
      },
    });
    expect(statements).toHaveLength(5);
  });

  test('run no statement without rows or with null keys', async () => {
    expect(await request('{ customer(where: { id: { _eq: "0" } }) { invoices { number } rate { percent } } }')).toBe(
      '{"data":{"customer":[]}}',
    );
    expect(statements).toHaveLength(1);
    const body = await request(
      '{ customer(where: { name: { _eq: "Bo" } }) { rate { percent } weather { text } parent { rate { percent } } } }',
    );
    expect(body).toBe('{"data":{"customer":[{"rate":null,"weather":null,"parent":{"rate":{"percent":23.5}}}]}}');
    expect(statements).toHaveLength(2);
    expect(remote.requests).toHaveLength(0);
  });

  test('apply the permissions of the caller in both sources', async () => {
    const user = (country: string) => ({ role: 'user', session: { 'x-service-country': country } });
    const query = `{ customer(where: { name: { _in: ["Ann", "Bo", "Cy"] } }, order_by: { name: asc }) {
      name invoices { number } invoices_aggregate { aggregate { count } }
    } }`;
    expect(JSON.parse(await request(query, user('NO')))).toEqual({
      data: {
        customer: [
          { name: 'Ann', invoices: [{ number: 'i2' }], invoices_aggregate: { aggregate: { count: 1 } } },
          { name: 'Bo', invoices: [], invoices_aggregate: { aggregate: { count: 0 } } },
        ],
      },
    });
    expect(await request('{ customer { rate { percent } } }', user('NO'))).toContain('validation-failed');
  });

  test('accept variables, aliases and names of prototype members', async () => {
    const body = await request(
      `query ($most: Int, $over: numeric) { customer(where: { id: { _eq: "1" } }) {
        __proto__: invoices(where: { total: { _gt: $over } }, limit: $most) { constructor: number }
        toString: rate { __proto__: percent }
      } }`,
      { variables: { most: 1, over: 11 } },
    );
    expect(body).toBe('{"data":{"customer":[{"__proto__":[{"constructor":"i2"}],"toString":{"__proto__":23.5}}]}}');
  });
});

describe('relationships to a remote schema', () => {
  test('send one request for their distinct keys', async () => {
    const body = await request('{ visit(order_by: { id: asc }) { page customer { country weather { text } } } }');
    expect(JSON.parse(body).data.visit).toEqual([
      { page: 'a', customer: { country: 'IS', weather: { text: 'rain in IS' } } },
      { page: 'b', customer: { country: null, weather: null } },
      { page: 'c', customer: { country: 'IS', weather: { text: 'rain in IS' } } },
      { page: 'd', customer: null },
    ]);
    expect(remote.requests).toHaveLength(1);
    expect(statements).toHaveLength(1);
  });

  test('pass the arguments and variables of their fields', async () => {
    const query =
      'query ($text: String) { customer(where: { country: { _eq: "IS" } }) { weather { echo(text: $text) } } }';
    expect(await request(query, { variables: { text: 'hé "x"' } })).toBe(
      '{"data":{"customer":[{"weather":{"echo":"hé \\"x\\""}},{"weather":{"echo":"hé \\"x\\""}}]}}',
    );
  });
});

describe('a request', () => {
  test('may have root fields of every kind, whose results are in their order', async () => {
    const body = await request(
      '{ now a: visit(limit: 0) { id } __typename i: invoice(limit: 0) { number } b: visit_by_pk(id: 1) { page } }',
    );
    expect(body).toBe('{"data":{"now":"noon","a":[],"__typename":"query_root","i":[],"b":{"page":"a"}}}');
    expect(statements).toHaveLength(2);
    expect(remote.requests).toHaveLength(1);
  });

  test('returns the other root fields if a remote schema fails', async () => {
    remote.respondWith(() => ({ status: 500, body: 'down' }));
    const body = JSON.parse(await request('{ visit(limit: 1, order_by: { id: asc }) { id } now }'));
    expect(body).toMatchObject({
      data: { visit: [{ id: 1 }], now: null },
      errors: [{ path: ['now'], extensions: { code: 'remote-schema-error' } }],
    });
  });

  test('calls actions and remote schemas concurrently', async () => {
    arrived = 0;
    remote.respondWith(() => {
      arrived += 1;
      return undefined;
    });
    const query = '{ concurrent { text } again: concurrent { text } now customer_by_pk(id: "1") { weather { text } } }';
    expect(JSON.parse(await request(query))).toMatchObject({
      data: { concurrent: { text: 'concurrent' }, again: { text: 'concurrent' } },
    });
  });

  test('cancels its running statements if another root field fails', async () => {
    expect(await request('{ slow { nothing } failing { text } }')).toContain('"message":"no"');
    await sleeping(0);
    // The timeout of this test is shorter than that of the statement.
  }, 10_000);

  test('returns no data if a statement of a relationship fails', async () => {
    await billing.database.query({ text: 'alter table rate rename to rates', values: [] });
    try {
      const body = JSON.parse(await request('{ customer { name rate { percent } } }'));
      expect(body).toEqual({
        errors: [{ message: 'database query error', extensions: { path: '$', code: 'unexpected' } }],
      });
    } finally {
      await billing.database.query({ text: 'alter table rates rename to rate', values: [] });
    }
  });

  test('runs the root fields of a mutation in order and stops at the first error', async () => {
    expect(await request('mutation { b: second { text } a: first { text } __typename }')).toBe(
      '{"data":{"b":{"text":"second"},"a":{"text":"first"},"__typename":"mutation_root"}}',
    );
    expect(handler.calls.map(({ path }) => path)).toEqual(['/second', '/first']);
    handler.reset();
    expect(await request('mutation { first { text } fail { text } second { text } }')).toContain('"message":"no"');
    expect(handler.calls.map(({ path }) => path)).toEqual(['/first', '/fail']);
  });
});
