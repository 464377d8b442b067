/** Errors of remote schemas with data: a failed field is null with an error and a path, and other fields are returned. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const sdl = `
  type Parcel { code: String! weight: Int owner: Owner! legs: [Leg] }
  type Owner { name: String! }
  type Leg { number: Int delay: Int }
  type Query { parcel(code: String!): Parcel parcels(codes: [String!]!): [Parcel!]! time: Int! note: String }
  type Mutation { send(code: String!): Parcel }
`;

const failing = (what: string) => () => {
  throw Object.assign(new Error(`no ${what}`), { extensions: { code: 'UNKNOWN', what } });
};
const parcel = (code: string) => ({
  code,
  weight: code.startsWith('heavy') ? failing('weight') : 5,
  owner: code.startsWith('unowned') ? failing('owner') : { name: 'Ann' },
  legs: [{ number: 1, delay: 3 }, { number: 2, delay: code.startsWith('late') ? failing('delay') : 4 }, null],
});
const root = {
  parcel: ({ code }: { code: string }) => (code === 'missing' ? failing('parcel')() : parcel(code)),
  parcels: ({ codes }: { codes: string[] }) => codes.map(parcel),
  time: failing('time'),
  note: 'fine',
  send: ({ code }: { code: string }) => (code === 'missing' ? failing('parcel')() : parcel(code)),
};

const sql = `
  create table orders (id int primary key, code text, parent int references orders);
  insert into orders values (1, 'ok', null), (2, 'missing', 1), (3, 'unowned', 1), (4, 'late', 1), (5, 'missing', 1), (6, null, 1);
`;

const metadata = (url: string) => ({
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'orders',
          array_relationships: [
            { name: 'children', using: { foreign_key_constraint_on: { table: 'orders', column: 'parent' } } },
          ],
          object_relationships: [{ name: 'above', using: { foreign_key_constraint_on: 'parent' } }],
          remote_relationships: [
            {
              name: 'parcel',
              definition: {
                to_remote_schema: {
                  remote_schema: 'carrier',
                  lhs_fields: ['code'],
                  remote_field: { parcel: { arguments: { code: '$code' } } },
                },
              },
            },
            {
              name: 'owner',
              definition: {
                to_remote_schema: {
                  remote_schema: 'carrier',
                  lhs_fields: ['code'],
                  remote_field: {
                    parcel: { arguments: { code: '$code' }, field: { owner: { arguments: {} } } },
                  },
                },
              },
            },
            {
              name: 'same',
              definition: {
                to_source: {
                  source: 'default',
                  table: 'orders',
                  relationship_type: 'array',
                  field_mapping: { parent: 'id' },
                },
              },
            },
          ],
        },
      ],
    },
  ],
  remote_schemas: [{ name: 'carrier', definition: { url } }],
});

let carrier: GraphQLServer;
let service: TestService;
beforeAll(async () => {
  carrier = await startGraphQLServer(sdl, root);
  service = await startService({ JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50' }, { migrated: true, sql });
  await service.command('replace_metadata', metadata(carrier.url));
});
afterAll(async () => {
  await Promise.all([carrier.close(), service.stop()]);
});
beforeEach(() => carrier.reset());

const errorOf = (what: string, path: readonly (string | number)[]) => ({
  message: `no ${what}`,
  path,
  extensions: expect.objectContaining({ code: 'UNKNOWN', what }) as unknown,
});

describe('a root field of a remote schema', () => {
  test('that fails in part returns the other fields, and the error with the alias in its path', async () => {
    const response = await service.graphql(
      '{ first: parcel(code: "heavy") { code w: weight } orders(limit: 1) { id } second: parcel(code: "late") { legs { d: delay } } }',
    );
    expect(response).toEqual({
      data: {
        first: { code: 'heavy', w: null },
        orders: [{ id: 1 }],
        second: { legs: [{ d: 3 }, { d: null }, null] },
      },
      errors: [errorOf('weight', ['first', 'w']), errorOf('delay', ['second', 'legs', 1, 'd'])],
    });
    expect(carrier.requests).toHaveLength(1);
  });

  test('is null if the remote schema returns null because of a nested error', async () => {
    expect(await service.graphql('{ parcel(code: "unowned") { code owner { name } } note }')).toEqual({
      data: { parcel: null, note: 'fine' },
      errors: [errorOf('owner', ['parcel', 'owner'])],
    });
  });

  test('makes the data null if it is non-null and fails', async () => {
    expect(await service.graphql('{ time note orders(limit: 1) { id } }')).toEqual({
      data: null,
      errors: [errorOf('time', ['time'])],
    });
  });

  test('is null if the remote schema is unavailable, and root fields of tables are returned', async () => {
    carrier.respondWith(() => ({ status: 502, body: 'down' }));
    const message = 'remote schema "carrier" sent something that is not JSON (status 502)';
    expect(await service.graphql('{ note again: note orders(limit: 1) { id } }')).toEqual({
      data: { note: null, again: null, orders: [{ id: 1 }] },
      errors: ['note', 'again'].map((alias) => ({
        message,
        path: [alias],
        extensions: expect.objectContaining({ code: 'remote-schema-error' }) as unknown,
      })),
    });
  });

  test('is null if the remote schema returns an error without a path', async () => {
    carrier.respondWith(() => ({ status: 200, body: '{"data":{"note":"x"},"errors":[{"message":"somewhere"}]}' }));
    expect(await service.graphql('{ note }')).toMatchObject({
      data: { note: null },
      errors: [{ message: 'somewhere', path: ['note'] }],
    });
  });

  test('that fails in a mutation does not affect other root fields', async () => {
    const query = `mutation {
      before: delete_orders(where: { id: { _eq: 100 } }) { affected_rows }
      send(code: "missing") { code }
      after: delete_orders(where: { id: { _eq: 100 } }) { affected_rows }
    }`;
    expect(await service.graphql(query)).toEqual({
      data: { before: { affected_rows: 0 }, send: null, after: { affected_rows: 0 } },
      errors: [errorOf('parcel', ['send'])],
    });
  });

  test('does not change that an error of a table removes the data', async () => {
    const response = await service.graphql('{ note orders(where: { id: { _eq: "x" } }) { id } }');
    expect(response).not.toHaveProperty('data');
    expect(response).toMatchObject({ errors: [{}] });
  });
});

describe('a join to a remote schema', () => {
  test('is null for all rows with a failed key, and is returned for the others', async () => {
    const query = '{ rows: orders(order_by: { id: asc }) { id box: parcel { code owner { name } } } }';
    const box = (code: string) => ({ code, owner: { name: 'Ann' } });
    expect(await service.graphql(query)).toEqual({
      data: {
        rows: [
          { id: 1, box: box('ok') },
          { id: 2, box: null },
          { id: 3, box: null },
          { id: 4, box: box('late') },
          { id: 5, box: null },
          { id: 6, box: null },
        ],
      },
      errors: [
        errorOf('parcel', ['rows', 1, 'box']),
        errorOf('owner', ['rows', 2, 'box', 'owner']),
        errorOf('parcel', ['rows', 4, 'box']),
      ],
    });
    expect(carrier.requests).toHaveLength(1);
  });

  test('reports errors with their path at any depth', async () => {
    const query = `{
      orders(where: { id: { _eq: 4 } }) {
        above { children(where: { id: { _eq: 4 } }) { parcel { legs { delay } } } }
        same { children(where: { id: { _eq: 2 } }) { parcel { code } } }
      }
    }`;
    const { errors } = (await service.graphql(query)) as { errors: unknown };
    expect(errors).toEqual([
      errorOf('delay', ['orders', 0, 'above', 'children', 0, 'parcel', 'legs', 1, 'delay']),
      errorOf('parcel', ['orders', 0, 'same', 0, 'children', 0, 'parcel']),
    ]);
  });

  test('through several fields reports errors with the path of the join', async () => {
    const response = await service.graphql('{ orders(where: { id: { _in: [1, 3] } }) { owner { name } } }');
    expect(response).toEqual({
      data: { orders: [{ owner: { name: 'Ann' } }, { owner: null }] },
      errors: [errorOf('owner', ['orders', 1, 'owner'])],
    });
  });

  test('in the rows of a mutation reports errors with their path', async () => {
    const query =
      'mutation { update_orders(where: { id: { _eq: 2 } }, _set: { code: "missing" }) { returning { parcel { code } } } }';
    expect(await service.graphql(query)).toEqual({
      data: { update_orders: { returning: [{ parcel: null }] } },
      errors: [errorOf('parcel', ['update_orders', 'returning', 0, 'parcel'])],
    });
  });

  test('reports at most a hundred errors', async () => {
    await service.database.database.query({
      text: "insert into orders select n, 'missing' from generate_series(1001, 1200) n",
      values: [],
    });
    const response = (await service.graphql('{ orders(where: { id: { _gt: 1000 } }) { parcel { code } } }')) as {
      errors: unknown[];
    };
    await service.database.database.query({ text: 'delete from orders where id > 1000', values: [] });
    expect(response.errors).toHaveLength(100);
  });
});

describe('a partial response', () => {
  test('has status 200 for clients that accept the specified media type, also if the data is null', async () => {
    const headers = { accept: 'application/graphql-response+json' };
    const partial = await service.post('/v1/graphql', { query: '{ parcel(code: "missing") { code } }' }, headers);
    expect(partial.status).toBe(200);
    expect(partial.body).toMatchObject({ data: { parcel: null }, errors: [{ message: 'no parcel' }] });
    expect((await service.post('/v1/graphql', { query: '{ time }' }, headers)).status).toBe(200);
    expect((await service.post('/v1/graphql', { query: '{ tim }' }, headers)).status).toBe(400);
  });

  test('is the same over a websocket as over HTTP', async () => {
    const client = await connectedClient(service.url);
    client.send({ id: '1', type: 'subscribe', payload: { query: '{ parcel(code: "missing") { code } note }' } });
    expect(await client.next()).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { parcel: null, note: 'fine' }, errors: [errorOf('parcel', ['parcel'])] },
    });
    await client.close();
  });

  test('of a subscription is sent once, and followed by a complete one when the remote schema is available', async () => {
    carrier.respondWith(() => ({ status: 503, body: 'down' }));
    const client = await connectedClient(service.url);
    const query = 'subscription { orders(where: { id: { _eq: 1 } }) { parcel { code } } }';
    client.send({ id: '1', type: 'subscribe', payload: { query } });
    expect(await client.next()).toMatchObject({
      payload: { data: { orders: [{ parcel: null }] }, errors: [{ path: ['orders', 0, 'parcel'] }] },
    });
    const before = carrier.requests.length;
    await until('the remote schema received three more requests', () => carrier.requests.length >= before + 3);
    expect(client.unread).toEqual([]);
    carrier.reset();
    expect(await client.next()).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { orders: [{ parcel: { code: 'ok' } }] } },
    });
    await client.close();
  });
});

test('JOINERY_REMOTE_SCHEMA_PRIORITIZE_DATA returns data without errors, and errors only without data', async () => {
  const other = await startService({ JOINERY_REMOTE_SCHEMA_PRIORITIZE_DATA: 'true' }, { migrated: true, sql });
  await other.command('replace_metadata', metadata(carrier.url));
  expect(await other.graphql('{ parcel(code: "heavy") { code weight } }')).toEqual({
    data: { parcel: { code: 'heavy', weight: null } },
  });
  expect(await other.graphql('{ time }')).toEqual({ data: null, errors: [errorOf('time', ['time'])] });
  await other.stop();
});
