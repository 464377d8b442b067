/** What is known of remote schemas over restarts, outages and changes of theirs. */
import { buildSchema, introspectionFromSchema } from 'graphql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sdl = 'type Query { parcel(code: String!): Parcel } type Parcel { code: String! weight: Int }';
const changed = 'type Query { parcel(code: String!): Parcel } type Parcel { code: String! grams: Int }';
const parcel = ({ code }: { code: string }) => ({ code, weight: 5, grams: 5000 });
const down = () => ({ status: 503, body: 'closed' });

let carrier: GraphQLServer;
let elsewhere: GraphQLServer;
let database: TestDatabase;
let services: TestService[] = [];

/** A node on the same database; of the test, so that it ends with it. */
async function node(environment: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const variables = { CARRIER: carrier.url, JOINERY_REMOTE_SCHEMA_REFRESH_INTERVAL: '0', ...environment };
  const service = await startService(variables, database);
  services.push(service);
  return service;
}

async function stopAll(): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
  services = [];
}

const status = async (service: TestService) => {
  const answer = (await service.command('get_remote_schema_status', { name: 'carrier' })) as {
    remote_schemas: Record<string, unknown>[];
  };
  return answer.remote_schemas[0] ?? {};
};
const fieldsOf = async (service: TestService): Promise<string> => {
  const answer = (await service.graphql('{ __type(name: "Parcel") { fields { name } } }')) as {
    data: { __type: { fields: { name: string }[] } | null };
  };
  return answer.data.__type?.fields.map(({ name }) => name).join() ?? 'none';
};

beforeAll(async () => {
  [carrier, elsewhere, database] = await Promise.all([
    startGraphQLServer(sdl, { parcel }),
    startGraphQLServer(sdl, { parcel }),
    testDatabase({
      migrated: true,
      sql: `create table orders (id int primary key, code text); insert into orders values (1, 'a'), (2, null)`,
    }),
  ]);
  const first = await node();
  await first.command('track_table', { table: 'orders' });
  await first.command('add_remote_schema', { name: 'carrier', definition: { url_from_env: 'CARRIER' } });
  await first.command('create_remote_relationship', {
    name: 'parcel',
    table: 'orders',
    definition: {
      to_remote_schema: {
        remote_schema: 'carrier',
        lhs_fields: ['code'],
        remote_field: { parcel: { arguments: { code: '$code' } } },
      },
    },
  });
  await stopAll();
});
beforeEach(() => {
  carrier.reset();
  elsewhere.reset();
  carrier.replaceSchema(sdl);
});
afterEach(stopAll);
afterAll(async () => {
  await Promise.all([carrier.close(), elsewhere.close()]);
  await database.drop();
});

test('a remote schema that is down at start keeps its fields and relationships, and is marked stale', async () => {
  carrier.respondWith(down);
  const service = await node();
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
  expect(await status(service)).toMatchObject({
    name: 'carrier',
    status: 'stale',
    read_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
    problem: { code: 'remote-schema-error', message: expect.stringContaining('status 503') as unknown },
  });
  expect(await service.graphql('{ orders { id parcel { code } } }')).toMatchObject({
    data: {
      orders: [
        { id: 1, parcel: null },
        { id: 2, parcel: null },
      ],
    },
    errors: [{ path: ['orders', 0, 'parcel'] }],
  });
  // It takes requests again the moment it is back, and is current once it was asked.
  carrier.reset();
  expect(await service.graphql('{ parcel(code: "x") { weight } }')).toEqual({ data: { parcel: { weight: 5 } } });
  await service.command('reload_remote_schema', { name: 'carrier' });
  expect(await status(service)).toMatchObject({ status: 'current' });
});

test('a reload of all keeps what is out of reach, a reload of the one says why it fails', async () => {
  const service = await node();
  carrier.respondWith(down);
  expect(await service.command('reload_metadata', {})).toMatchObject({ is_consistent: true });
  expect(await status(service)).toMatchObject({ status: 'stale' });
  await expect(service.command('reload_remote_schema', { name: 'carrier' })).rejects.toThrow('status 503');
  expect(await fieldsOf(service)).toBe('code,weight');
});

test('what is stored is of one address: another that is down has nothing', async () => {
  elsewhere.respondWith(down);
  const service = await node({ CARRIER: elsewhere.url });
  expect(await status(service)).toMatchObject({ status: 'unavailable', read_at: null });
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: false });
  expect(await fieldsOf(service)).toBe('none');
});

test('what is out of reach is asked again by itself, and so is what is to be asked every now and then', async () => {
  carrier.respondWith(down);
  const service = await node({ JOINERY_REMOTE_SCHEMA_REFRESH_INTERVAL: '1' });
  expect(await status(service)).toMatchObject({ status: 'stale' });
  carrier.reset();
  await expect.poll(() => status(service)).toMatchObject({ status: 'current' });
  carrier.replaceSchema(changed);
  await expect.poll(() => fieldsOf(service)).toBe('code,grams');
  expect(await service.graphql('{ orders(limit: 1) { parcel { grams } } }')).toEqual({
    data: { orders: [{ parcel: { grams: 5000 } }] },
  });
});

test('a request that is refused as invalid makes it asked again, on all nodes; admins are told', async () => {
  const [one, other] = await Promise.all([node(), node()]);
  expect(await Promise.all([fieldsOf(one), fieldsOf(other)])).toEqual(['code,weight', 'code,weight']);
  carrier.replaceSchema(changed);
  expect(await one.graphql('{ parcel(code: "x") { weight } }', { 'x-service-role': 'admin' })).toMatchObject({
    data: { parcel: null },
    errors: [
      {
        message: 'Cannot query field "weight" on type "Parcel".',
        extensions: { internal: { note: expect.stringContaining('is introspected again') as unknown } },
      },
    ],
  });
  await expect.poll(() => fieldsOf(one)).toBe('code,grams');
  await expect.poll(() => fieldsOf(other)).toBe('code,grams');
});

test('an error of a field is no reason to ask again', async () => {
  const service = await node();
  carrier.reset();
  const body = '{"errors":[{"message":"no","path":["parcel"],"locations":[{"line":1,"column":1}]}]}';
  carrier.respondWith(({ query }) => (query.includes('__schema') ? undefined : { status: 200, body }));
  const answer = await service.graphql('{ parcel(code: "x") { weight } }', { 'x-service-role': 'admin' });
  expect(answer).toMatchObject({ errors: [{ message: 'no', path: ['parcel'] }] });
  expect(JSON.stringify(answer)).not.toContain('introspected again');
  expect(carrier.introspections).toEqual([]);
});

test('a relationship whose field is gone is listed as inconsistent, the rest goes on', async () => {
  const service = await node({ JOINERY_REMOTE_SCHEMA_REFRESH_INTERVAL: '1' });
  carrier.replaceSchema('type Query { package(code: String!): String }');
  const consistency = () => service.command('get_inconsistent_metadata', {}) as Promise<{ is_consistent: boolean }>;
  await expect.poll(consistency).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'remote_relationship' }],
  });
  expect(await service.graphql('{ orders { id } }')).toEqual({ data: { orders: [{ id: 1 }, { id: 2 }] } });
});

test('introspect_remote_schema answers as the remote schema itself', async () => {
  const service = await node();
  const answer = await service.command('introspect_remote_schema', { name: 'carrier' });
  expect(answer).toEqual({ data: JSON.parse(JSON.stringify(introspectionFromSchema(buildSchema(sdl)))) });
  await expect(service.command('introspect_remote_schema', { name: 'nobody' })).rejects.toThrow('not-exists');
  await expect(service.command('get_remote_schema_status', { name: 'nobody' })).rejects.toThrow('not-exists');
});

test('a remote schema that is removed is forgotten', async () => {
  const service = await node();
  const kept = async () =>
    (await database.database.query({ text: 'select name from joinery.remote_introspections', values: [] })).rows;
  await service.command('add_remote_schema', {
    name: 'short',
    definition: { url: elsewhere.url, customization: { root_fields_namespace: 'short', type_names: { prefix: 'S' } } },
  });
  await expect.poll(kept).toHaveLength(2);
  await service.command('remove_remote_schema', { name: 'short' });
  await expect.poll(kept).toHaveLength(1);
});
