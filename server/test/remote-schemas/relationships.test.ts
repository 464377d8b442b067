/** Relationships from tables to remote schemas and to other sources, from introspection to execution. */
import { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHttpClient } from '../../src/base/http-client/http-client.ts';
import { introspect } from '../../src/model/remote/introspection.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';

const shopSql = `
  create table customer (id int primary key, name text not null, region uuid);
  create table orders (
    id int primary key, customer_id int references customer, tracking text, weight numeric not null, parts int[] not null
  );
  insert into customer values (1, 'Ann', '00000000-0000-0000-0000-000000000001'), (2, 'Bob', null), (3, 'Cid', null);
  insert into orders
    select n, n % 3 + 1, case when n % 10 = 0 then null else 'T' || n % 7 end, 12345678901234567.25, array[n, n + 1]
    from generate_series(1, 1000) n;
`;
const billingSql = `
  create table invoice (id int primary key, order_id bigint, total numeric not null, paid boolean not null);
  insert into invoice select n, n / 2, n * 1.5, n % 2 = 0 from generate_series(2, 41) n;
`;

const sdl = `
  scalar numeric
  type Parcel { code: String! where(zone: String): String! legs(first: Int!): [Leg!]! }
  type Leg { number: Int! weight: numeric }
  input Box { weight: numeric! parts: [Int!]! label: String }
  type Query {
    parcel(code: String!): Parcel
    legs(ids: [ID!]!): [Leg!]!
    price(box: Box!): String
    region(id: ID!): String
    time: Float
  }
  type Mutation { send(code: String!): Parcel }
`;
type Args = Readonly<Record<string, unknown>>;
const parcel = (code: unknown) => ({
  code,
  where: ({ zone }: Args) => `${code} at ${zone}`,
  legs: ({ first }: { first: number }) => Array.from({ length: first }, (_, number) => ({ number, weight: 1.5 })),
});
const root = {
  parcel: ({ code }: Args) => (code === 'T5' ? null : parcel(code)),
  legs: ({ ids }: { ids: string[] }) => ids.map((id) => ({ number: Number(id) })),
  price: ({ box }: Args) => JSON.stringify(box),
  region: ({ id }: Args) => `region ${id}`,
  time: 12.5,
  send: ({ code }: Args) => parcel(code),
};

const toRemote = (name: string, lhs_fields: readonly string[], remote_field: unknown) => ({
  name,
  definition: { to_remote_schema: { remote_schema: 'carrier', lhs_fields, remote_field } },
});
const toInvoice = (name: string, relationship_type: string) => ({
  name,
  definition: {
    to_source: { source: 'billing', table: 'invoice', relationship_type, field_mapping: { id: 'order_id' } },
  },
});
const metadata = (url: string) => ({
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'customer',
          array_relationships: [
            { name: 'orders', using: { foreign_key_constraint_on: { table: 'orders', column: 'customer_id' } } },
          ],
          remote_relationships: [toRemote('region_name', ['region'], { region: { arguments: { id: '$region' } } })],
          select_permissions: [{ role: 'user', permission: { columns: ['id', 'name'], filter: {} } }],
        },
        {
          table: 'orders',
          object_relationships: [{ name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } }],
          remote_relationships: [
            {
              name: 'parcel',
              hasura_fields: ['tracking'],
              remote_schema: 'carrier',
              remote_field: { parcel: { arguments: { code: '$tracking' } } },
            },
            toRemote('legs', ['parts'], { legs: { arguments: { ids: '$parts' } } }),
            toRemote('place', ['tracking'], {
              parcel: { arguments: { code: '$tracking' }, field: { where: { arguments: {} } } },
            }),
            toRemote('price', ['weight', 'parts'], {
              price: { arguments: { box: { weight: '$weight', parts: '$parts' } } },
            }),
            toRemote('time_there', [], { time: { arguments: {} } }),
            toInvoice('invoices', 'array'),
            toInvoice('invoice', 'object'),
          ],
          select_permissions: [
            { role: 'user', permission: { columns: ['id', 'tracking'], filter: { id: { _lte: 3 } }, limit: 100 } },
          ],
        },
      ],
    },
    {
      name: 'billing',
      tables: [
        {
          table: 'invoice',
          select_permissions: [
            {
              role: 'user',
              permission: { columns: ['id', 'order_id'], filter: { paid: { _eq: true } }, allow_aggregations: true },
            },
          ],
        },
      ],
    },
  ],
  remote_schemas: [{ name: 'carrier', definition: { url } }],
});

let carrier: GraphQLServer;
let shop: TestDatabase;
let billing: TestDatabase;
let engine: Engine;

beforeAll(async () => {
  [carrier, shop, billing] = await Promise.all([
    startGraphQLServer(sdl, root),
    testDatabase({ sql: shopSql }),
    testDatabase({ sql: billingSql }),
  ]);
  const httpClient = createHttpClient({ connections: 1 });
  const definition = RemoteSchemaDefinition.parse({ url: carrier.url });
  const upstream = await introspect(definition, { httpClient, environment: {} });
  await httpClient.close();
  const databases = { default: shop.database, billing: billing.database };
  engine = await startEngine({ metadata: metadata(carrier.url), databases, upstreams: { carrier: upstream } });
});
afterAll(async () => {
  await Promise.all([engine.close(), carrier.close(), shop.drop(), billing.drop()]);
});
beforeEach(() => carrier.reset());

/** Executes an operation. Returns the response and the number of statements. */
async function request(query: string, options: Omit<EngineRequest, 'query'> = {}) {
  const { body, statements } = await engine.execute({ query, ...options });
  const { data, errors } = JSON.parse(body) as { data?: Record<string, unknown>; errors?: unknown };
  return { body, data, errors, statements: statements.length };
}

test('the metadata is consistent', () => {
  expect(engine.inconsistencies).toEqual([]);
});

describe('a relationship from a table to a remote schema', () => {
  test('runs one statement and sends one request for a thousand rows, with distinct keys', async () => {
    const { data, statements } = await request(
      '{ orders(order_by: { id: asc }) { id parcel { code where(zone: "north") } } }',
    );
    const rows = data?.orders as readonly { id: number; parcel: unknown }[];
    expect(rows).toHaveLength(1000);
    expect(rows.slice(4, 10)).toEqual([
      { id: 5, parcel: null },
      { id: 6, parcel: { code: 'T6', where: 'T6 at north' } },
      { id: 7, parcel: { code: 'T0', where: 'T0 at north' } },
      { id: 8, parcel: { code: 'T1', where: 'T1 at north' } },
      { id: 9, parcel: { code: 'T2', where: 'T2 at north' } },
      { id: 10, parcel: null },
    ]);
    expect(statements).toBe(1);
    expect(carrier.requests).toHaveLength(1);
    expect(carrier.requests[0]?.query.match(/^f\d+:/gm)).toHaveLength(7);
  });

  test('sends one request for a thousand distinct keys', async () => {
    const { data, statements } = await request('{ orders { legs { number } } }');
    expect(data?.orders).toHaveLength(1000);
    expect([statements, carrier.requests.length]).toEqual([1, 1]);
    expect(carrier.requests[0]?.query.match(/^f\d+:/gm)).toHaveLength(1000);
  });

  test('sends no request if every key is null', async () => {
    const { data } = await request('{ customer(where: { region: { _is_null: true } }) { region_name } }');
    expect(data).toEqual({ customer: [{ region_name: null }, { region_name: null }] });
    expect(carrier.requests).toEqual([]);
  });

  test('is fetched once for all rows if it has no key columns', async () => {
    const { data } = await request('{ orders(limit: 3) { time_there } }');
    expect(data).toEqual({ orders: [{ time_there: 12.5 }, { time_there: 12.5 }, { time_there: 12.5 }] });
    expect(carrier.requests.map(({ query }) => query)).toEqual(['query {\nf0:time\n}']);
  });

  test('may be selected below relationships, with aliases and several times, without its keys in the response', async () => {
    const { data, statements } = await request(
      `query ($zone: String) {
        customer_by_pk(id: 1) {
          region_name
          orders(limit: 2, order_by: { id: asc }) {
            first: parcel { at: where(zone: $zone) }
            second: parcel { legs(first: 2) { number weight } }
            place(zone: $zone)
            legs { number }
            customer { region_name }
          }
        }
      }`,
      { variables: { zone: 'east' } },
    );
    const legs = [
      { number: 0, weight: 1.5 },
      { number: 1, weight: 1.5 },
    ];
    const customer = { region_name: 'region 00000000-0000-0000-0000-000000000001' };
    expect(data).toEqual({
      customer_by_pk: {
        region_name: 'region 00000000-0000-0000-0000-000000000001',
        orders: [
          {
            first: { at: 'T3 at east' },
            second: { legs },
            place: 'T3 at east',
            legs: [{ number: 3 }, { number: 4 }],
            customer,
          },
          {
            first: { at: 'T6 at east' },
            second: { legs },
            place: 'T6 at east',
            legs: [{ number: 6 }, { number: 7 }],
            customer,
          },
        ],
      },
    });
    expect(statements).toBe(1);
    expect(carrier.requests).toHaveLength(6);
  });

  test('sends exact numbers, with the members that the client sets', async () => {
    const { data } = await request('{ orders(where: { id: { _eq: 1 } }) { price(box: { label: "fragile" }) } }');
    expect(carrier.requests[0]?.query).toContain('weight:12345678901234567.25');
    expect(data?.orders).toMatchObject([{ price: expect.stringContaining('"label":"fragile"') as unknown }]);
  });

  test('applies the permissions of the role', async () => {
    const { data } = await request('{ orders(order_by: { id: asc }) { parcel { code } } }', { role: 'user' });
    expect(data).toEqual({ orders: ['T1', 'T2', 'T3'].map((code) => ({ parcel: { code } })) });
    expect(carrier.requests).toHaveLength(1);
    const { errors } = await request('{ orders { weight } }', { role: 'user' });
    expect(errors).toMatchObject([{ message: "field 'weight' not found in type: 'orders'" }]);
    expect(carrier.requests).toHaveLength(1);
  });

  test('needs no permission on its key columns', async () => {
    const query = '{ orders(where: { id: { _eq: 1 } }) { legs { number } price(box: { label: "fragile" }) } }';
    const { data } = await request(query, { role: 'user' });
    expect(data).toEqual({
      orders: [
        {
          legs: [{ number: 1 }, { number: 2 }],
          price: expect.stringContaining('"weight":1234567890123456') as unknown,
        },
      ],
    });
  });

  test('is null with an error without the URL if the remote schema fails, and other fields are returned', async () => {
    carrier.respondWith(() => ({ status: 503, body: 'overloaded' }));
    const unavailable = await request('{ orders(limit: 1) { parcel { code } } customer(limit: 1) { id } }');
    expect(unavailable.errors).toEqual([
      {
        message: 'remote schema "carrier" sent something that is not JSON (status 503)',
        path: ['orders', 0, 'parcel'],
        extensions: { path: '$', code: 'remote-schema-error' },
      },
    ]);
    expect(unavailable.data).toEqual({ orders: [{ parcel: null }], customer: [{ id: 1 }] });
    carrier.respondWith(() => ({ status: 200, body: '{"errors":[{"message":"no such place"}]}' }));
    const rejected = await request('{ orders(limit: 1) { parcel { code } } }');
    expect(rejected.errors).toMatchObject([{ message: 'no such place', path: ['orders', 0, 'parcel'] }]);
  });
});

describe('root fields of a remote schema', () => {
  test('may be selected with those of tables, in the order of the request', async () => {
    const { body } = await request('{ b: time customer_by_pk(id: 2) { name } a: time __typename }');
    expect(body).toBe('{"data":{"b":12.5,"customer_by_pk":{"name":"Bob"},"a":12.5,"__typename":"query_root"}}');
    expect(carrier.requests).toHaveLength(1);
  });

  test('may be mutations, which every role may call', async () => {
    const { data } = await request('mutation { send(code: "x") { code } other: send(code: "y") { code } }', {
      role: 'unknown',
    });
    expect(data).toEqual({ send: { code: 'x' }, other: { code: 'y' } });
    expect(carrier.requests).toHaveLength(1);
  });

  test('are described by introspection', async () => {
    const { data } = await request('{ __type(name: "Parcel") { fields { name type { kind } args { name } } } }');
    expect(data).toEqual({
      __type: {
        fields: [
          { name: 'code', type: { kind: 'NON_NULL' }, args: [] },
          { name: 'legs', type: { kind: 'NON_NULL' }, args: [{ name: 'first' }] },
          { name: 'where', type: { kind: 'NON_NULL' }, args: [{ name: 'zone' }] },
        ],
      },
    });
  });
});

describe('a relationship to a table of another source', () => {
  test('runs one statement in each source, and returns null or an empty array without a match', async () => {
    const { data, statements } = await request(
      '{ orders(where: { id: { _in: [1, 20, 21] } }, order_by: { id: asc }) { invoice { order_id } invoices(order_by: { id: desc }, limit: 1) { id total } } }',
    );
    expect(data).toEqual({
      orders: [
        { invoice: { order_id: 1 }, invoices: [{ id: 3, total: 4.5 }] },
        { invoice: { order_id: 20 }, invoices: [{ id: 41, total: 61.5 }] },
        { invoice: null, invoices: [] },
      ],
    });
    expect(statements).toBe(3);
  });

  test('has an aggregate field, and applies the permissions of the role', async () => {
    const query =
      '{ orders(where: { id: { _lte: 2 } }, order_by: { id: asc }) { invoices { id } invoices_aggregate { aggregate { count } } } }';
    expect((await request(query)).data).toEqual({
      orders: [
        { invoices: [{ id: 2 }, { id: 3 }], invoices_aggregate: { aggregate: { count: 2 } } },
        { invoices: [{ id: 4 }, { id: 5 }], invoices_aggregate: { aggregate: { count: 2 } } },
      ],
    });
    expect((await request(query.replace('where: { id: { _lte: 2 } }, ', ''), { role: 'user' })).data).toEqual({
      orders: [
        { invoices: [{ id: 2 }], invoices_aggregate: { aggregate: { count: 1 } } },
        { invoices: [{ id: 4 }], invoices_aggregate: { aggregate: { count: 1 } } },
        { invoices: [{ id: 6 }], invoices_aggregate: { aggregate: { count: 1 } } },
      ],
    });
  });
});
