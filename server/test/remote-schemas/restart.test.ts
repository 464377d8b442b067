/** Stored introspections of remote schemas: restarts, outages and changes of the remote schema. */
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
let otherCarrier: GraphQLServer;
let database: TestDatabase;
let services: TestService[] = [];

/** Starts a node on the database that is stopped after the test. */
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
  const response = (await service.command('get_remote_schema_status', { name: 'carrier' })) as {
    remote_schemas: Record<string, unknown>[];
  };
  return response.remote_schemas[0] ?? {};
};
const fieldsOf = async (service: TestService): Promise<string> => {
  const response = (await service.graphql('{ __type(name: "Parcel") { fields { name } } }')) as {
    data: { __type: { fields: { name: string }[] } | null };
  };
  return response.data.__type?.fields.map(({ name }) => name).join() ?? 'none';
};

beforeAll(async () => {
  [carrier, otherCarrier, database] = await Promise.all([
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
  otherCarrier.reset();
  carrier.replaceSchema(sdl);
});
afterEach(stopAll);
afterAll(async () => {
  await Promise.all([carrier.close(), otherCarrier.close()]);
  await database.drop();
});

test('a remote schema that is unavailable at the start keeps its fields and relationships and is marked as stale', async () => {
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
  // It accepts requests as soon as it is available, and is current after an introspection.
  carrier.reset();
  expect(await service.graphql('{ parcel(code: "x") { weight } }')).toEqual({ data: { parcel: { weight: 5 } } });
  await service.command('reload_remote_schema', { name: 'carrier' });
  expect(await status(service)).toMatchObject({ status: 'current' });
});

test('reload_metadata keeps the schema of an unavailable remote schema, and reload_remote_schema reports the error', async () => {
  const service = await node();
  carrier.respondWith(down);
  expect(await service.command('reload_metadata', {})).toMatchObject({ is_consistent: true });
  expect(await status(service)).toMatchObject({ status: 'stale' });
  await expect(service.command('reload_remote_schema', { name: 'carrier' })).rejects.toThrow('status 503');
  expect(await fieldsOf(service)).toBe('code,weight');
});

test('a stored introspection is not used for another URL', async () => {
  otherCarrier.respondWith(down);
  const service = await node({ CARRIER: otherCarrier.url });
  expect(await status(service)).toMatchObject({ status: 'unavailable', read_at: null });
  expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: false });
  expect(await fieldsOf(service)).toBe('none');
});

test('an unavailable remote schema is introspected again, and an available one at the configured interval', async () => {
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

test('a request that the remote schema rejects as invalid causes an introspection on all nodes, which the error reports to admins', async () => {
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

test('an error of a field causes no introspection', async () => {
  const service = await node();
  carrier.reset();
  const body = '{"errors":[{"message":"no","path":["parcel"],"locations":[{"line":1,"column":1}]}]}';
  carrier.respondWith(({ query }) => (query.includes('__schema') ? undefined : { status: 200, body }));
  const response = await service.graphql('{ parcel(code: "x") { weight } }', { 'x-service-role': 'admin' });
  expect(response).toMatchObject({ errors: [{ message: 'no', path: ['parcel'] }] });
  expect(JSON.stringify(response)).not.toContain('introspected again');
  expect(carrier.introspections).toEqual([]);
});

test('a relationship is inconsistent if its remote field was removed, and other objects are not affected', async () => {
  const service = await node({ JOINERY_REMOTE_SCHEMA_REFRESH_INTERVAL: '1' });
  carrier.replaceSchema('type Query { package(code: String!): String }');
  const consistency = () => service.command('get_inconsistent_metadata', {}) as Promise<{ is_consistent: boolean }>;
  await expect.poll(consistency).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'remote_relationship' }],
  });
  expect(await service.graphql('{ orders { id } }')).toEqual({ data: { orders: [{ id: 1 }, { id: 2 }] } });
});

test('introspect_remote_schema returns the introspection of the remote schema', async () => {
  const service = await node();
  const response = await service.command('introspect_remote_schema', { name: 'carrier' });
  expect(response).toEqual({ data: JSON.parse(JSON.stringify(introspectionFromSchema(buildSchema(sdl)))) });
  await expect(service.command('introspect_remote_schema', { name: 'missing' })).rejects.toThrow('not-exists');
  await expect(service.command('get_remote_schema_status', { name: 'missing' })).rejects.toThrow('not-exists');
});

test('removing a remote schema deletes its stored introspection', async () => {
  const service = await node();
  const stored = async () =>
    (await database.database.query({ text: 'select name from joinery.remote_introspections', values: [] })).rows;
  await service.command('add_remote_schema', {
    name: 'short',
    definition: {
      url: otherCarrier.url,
      customization: { root_fields_namespace: 'short', type_names: { prefix: 'S' } },
    },
  });
  await expect.poll(stored).toHaveLength(2);
  await service.command('remove_remote_schema', { name: 'short' });
  await expect.poll(stored).toHaveLength(1);
});
