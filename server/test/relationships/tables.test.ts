/** Rows joined to another database and to a remote schema, and roots of all kinds in one request. */
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
  'type Query { report(country: String!): Report, now: String } type Report { text: String, echo(say: String): String }';

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
  custom_types: { objects: [{ name: 'Slow', fields: [{ name: 'said', type: 'String!' }] }] },
  actions: [
    ...['first', 'second', 'refuse'].map((name) => ({ name, type: 'mutation' })),
    ...['meets', 'refused'].map((name) => ({ name, type: 'query' })),
  ].map(({ name, type }) => ({ name, definition: { type, output_type: 'Slow', handler: `${handler}/${name}` } })),
});

let shop: TestDatabase;
let billing: TestDatabase;
let remote: GraphQLServer;
let handler: HandlerServer;
let engine: Engine;
let statements: readonly SentStatement[] = [];
/** Requests that have arrived where they wait for each other. */
let meeting = 0;

/** Until so many statements sleep in the database. */
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
      country === 'NO' ? null : { text: `rain in ${country}`, echo: ({ say }: { say: string }) => say },
    now: 'noon',
  });
  handler = await startHandlerServer({
    '/first': () => ({ said: 'first' }),
    '/second': () => ({ said: 'second' }),
    '/refuse': (_call, out) => void out.writeHead(400).end('{"message":"no"}'),
    '/refused': async (_call, out) => {
      await sleeping(1);
      out.writeHead(400).end('{"message":"no"}');
    },
    '/meets': async () => {
      await until('both requests have arrived', () => meeting >= 2);
      return { said: 'met' };
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

async function ask(query: string, rest: Omit<EngineRequest, 'query'> = {}): Promise<string> {
  const answer = await engine.execute({ query, ...rest });
  statements = answer.statements;
  return answer.body;
}

test('the metadata of these tests is sound', () => {
  expect(engine.inconsistencies).toEqual([]);
});

describe('rows joined to another database', () => {
  test('are one statement for each relationship, exact, in the order of the request and without phantoms', async () => {
    const body = await ask(
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

  test('may be anywhere in the operation: behind objects, lists, nodes and other joins', async () => {
    const body = await ask(`{
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

  test('of no rows, or with keys that are null, ask nothing', async () => {
    expect(await ask('{ customer(where: { id: { _eq: "0" } }) { invoices { number } rate { percent } } }')).toBe(
      '{"data":{"customer":[]}}',
    );
    expect(statements).toHaveLength(1);
    const body = await ask(
      '{ customer(where: { name: { _eq: "Bo" } }) { rate { percent } weather { text } parent { rate { percent } } } }',
    );
    expect(body).toBe('{"data":{"customer":[{"rate":null,"weather":null,"parent":{"rate":{"percent":23.5}}}]}}');
    expect(statements).toHaveLength(2);
    expect(remote.requests).toHaveLength(0);
  });

  test('are under the permissions of the caller on both sides', async () => {
    const user = (country: string) => ({ role: 'user', session: { 'x-service-country': country } });
    const query = `{ customer(where: { name: { _in: ["Ann", "Bo", "Cy"] } }, order_by: { name: asc }) {
      name invoices { number } invoices_aggregate { aggregate { count } }
    } }`;
    expect(JSON.parse(await ask(query, user('NO')))).toEqual({
      data: {
        customer: [
          { name: 'Ann', invoices: [{ number: 'i2' }], invoices_aggregate: { aggregate: { count: 1 } } },
          { name: 'Bo', invoices: [], invoices_aggregate: { aggregate: { count: 0 } } },
        ],
      },
    });
    expect(await ask('{ customer { rate { percent } } }', user('NO'))).toContain('validation-failed');
  });

  test('take variables, aliases and names that JavaScript has a meaning for', async () => {
    const body = await ask(
      `query ($most: Int, $over: numeric) { customer(where: { id: { _eq: "1" } }) {
        __proto__: invoices(where: { total: { _gt: $over } }, limit: $most) { constructor: number }
        toString: rate { __proto__: percent }
      } }`,
      { variables: { most: 1, over: 11 } },
    );
    expect(body).toBe('{"data":{"customer":[{"__proto__":[{"constructor":"i2"}],"toString":{"__proto__":23.5}}]}}');
  });
});

describe('rows joined to a remote schema', () => {
  test('are one upstream request for their distinct keys', async () => {
    const body = await ask('{ visit(order_by: { id: asc }) { page customer { country weather { text } } } }');
    expect(JSON.parse(body).data.visit).toEqual([
      { page: 'a', customer: { country: 'IS', weather: { text: 'rain in IS' } } },
      { page: 'b', customer: { country: null, weather: null } },
      { page: 'c', customer: { country: 'IS', weather: { text: 'rain in IS' } } },
      { page: 'd', customer: null },
    ]);
    expect(remote.requests).toHaveLength(1);
    expect(statements).toHaveLength(1);
  });

  test('hand on the arguments and variables of their fields', async () => {
    const query =
      'query ($say: String) { customer(where: { country: { _eq: "IS" } }) { weather { echo(say: $say) } } }';
    expect(await ask(query, { variables: { say: 'hé "x"' } })).toBe(
      '{"data":{"customer":[{"weather":{"echo":"hé \\"x\\""}},{"weather":{"echo":"hé \\"x\\""}}]}}',
    );
  });
});

describe('one request', () => {
  test('has roots of every kind, and its answer is in their order', async () => {
    const body = await ask(
      '{ now a: visit(limit: 0) { id } __typename i: invoice(limit: 0) { number } b: visit_by_pk(id: 1) { page } }',
    );
    expect(body).toBe('{"data":{"now":"noon","a":[],"__typename":"query_root","i":[],"b":{"page":"a"}}}');
    expect(statements).toHaveLength(2);
    expect(remote.requests).toHaveLength(1);
  });

  test('keeps the other roots when a remote schema fails', async () => {
    remote.respondWith(() => ({ status: 500, body: 'down' }));
    const body = JSON.parse(await ask('{ visit(limit: 1, order_by: { id: asc }) { id } now }'));
    expect(body).toMatchObject({
      data: { visit: [{ id: 1 }], now: null },
      errors: [{ path: ['now'], extensions: { code: 'remote-schema-error' } }],
    });
  });

  test('asks everybody at once', async () => {
    meeting = 0;
    remote.respondWith(() => {
      meeting += 1;
      return undefined;
    });
    const query = '{ meets { said } again: meets { said } now customer_by_pk(id: "1") { weather { text } } }';
    expect(JSON.parse(await ask(query))).toMatchObject({ data: { meets: { said: 'met' }, again: { said: 'met' } } });
  });

  test('that fails in one place ends what is under way in another', async () => {
    expect(await ask('{ slow { nothing } refused { said } }')).toContain('"message":"no"');
    await sleeping(0);
    // Long before the statement would reach its own time limit.
  }, 10_000);

  test('is void when a joined statement fails', async () => {
    await billing.database.query({ text: 'alter table rate rename to rates', values: [] });
    try {
      const body = JSON.parse(await ask('{ customer { name rate { percent } } }'));
      expect(body).toEqual({
        errors: [{ message: 'database query error', extensions: { path: '$', code: 'unexpected' } }],
      });
    } finally {
      await billing.database.query({ text: 'alter table rates rename to rate', values: [] });
    }
  });

  test('of a mutation runs its roots one after the other and stops at the first that fails', async () => {
    expect(await ask('mutation { b: second { said } a: first { said } __typename }')).toBe(
      '{"data":{"b":{"said":"second"},"a":{"said":"first"},"__typename":"mutation_root"}}',
    );
    expect(handler.calls.map(({ path }) => path)).toEqual(['/second', '/first']);
    handler.reset();
    expect(await ask('mutation { first { said } refuse { said } second { said } }')).toContain('"message":"no"');
    expect(handler.calls.map(({ path }) => path)).toEqual(['/first', '/refuse']);
  });
});
