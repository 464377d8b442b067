/** What admins are told of the nodes, and of the settings that one of them runs with. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { options, variableName } from '../../src/config/options.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const secrets = {
  JOINERY_ADMIN_SECRET: 'the-secret-of-admins',
  JOINERY_ADMIN_SECRETS: '["another-secret-of-admins"]',
  JOINERY_JWT_SECRET: '{"type":"HS256","key":"0123456789-0123456789-0123456789"}',
  JOINERY_METRICS_SECRET: 'the-secret-of-metrics',
  JOINERY_WEBHOOK_SIGNING_KEYS: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  // Not a setting, but what a setting may hold by mistake.
  HANDLER_TOKEN: 'https://token-of-a-handler.example',
};
const admin = { 'x-service-admin-secret': secrets.JOINERY_ADMIN_SECRET };

let database: TestDatabase;
let one: TestService;
let other: TestService;

beforeAll(async () => {
  database = await testDatabase();
  one = await startService({ ...secrets, JOINERY_CORS_DOMAIN: `${secrets.HANDLER_TOKEN},https://*.example` }, database);
  other = await startService({ JOINERY_COMPONENTS: 'api' }, database);
});
afterAll(async () => {
  await one?.stop();
  await other?.stop();
  await database?.drop();
});

async function tellAdmin(type: string, args: unknown = {}): Promise<unknown> {
  const { status, body } = await one.post('/v1/metadata', { type, args }, admin);
  expect(status).toBe(200);
  return body;
}

interface Nodes {
  readonly answered_by: string;
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
}

test('every node is told of, the oldest first, with what it runs and the events that it holds', async () => {
  const { nodes, answered_by } = (await tellAdmin('get_nodes')) as Nodes;
  expect(nodes.map(({ components, alive, events_in_hand }) => ({ components, alive, events_in_hand }))).toEqual([
    { components: ['api', 'console', 'events'], alive: true, events_in_hand: 0 },
    { components: ['api'], alive: true, events_in_hand: 0 },
  ]);
  expect(nodes[0]).toMatchObject({
    id: answered_by,
    pid: process.pid,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
  expect(new Set(nodes.map(({ id }) => id)).size).toBe(2);
  const same = (await other.command('get_nodes', {})) as Nodes;
  expect(same.answered_by).toBe(nodes[1]?.id);
  const [holder] = (
    await database.database.query({
      text: "select id, node from joinery.event_leases where node like '% events'",
      values: [],
    })
  ).rows;
  expect(holder?.[1]).toBe(`${answered_by} events`);
  await database.database.query({
    text: `insert into joinery.scheduled_events (webhook, schedule_at, lease) values ('http://127.0.0.1:9', now() + interval '1 day', $1)`,
    values: [holder?.[0] ?? ''],
  });
  expect(((await tellAdmin('get_nodes')) as Nodes).nodes[0]).toMatchObject({ events_in_hand: 1 });
  await database.database.query({ text: 'delete from joinery.scheduled_events', values: [] });
});

test('a node that is silent is told of as gone, one that ended in order is not told of', async () => {
  await database.database.query({
    text: `insert into joinery.nodes (id, host, pid, version, components, started_at, seen_at)
      values ('silent', 'elsewhere', 7, '0.1.0', '{events}', now() - interval '1 hour', now() - interval '1 minute')`,
    values: [],
  });
  const third = await startService({ JOINERY_COMPONENTS: 'events' }, database);
  const names = async (): Promise<unknown[]> =>
    ((await tellAdmin('get_nodes')) as Nodes).nodes.map(({ components, alive }) => [String(components), alive]);
  const rest = [
    ['events', false],
    ['api,console,events', true],
    ['api', true],
  ];
  expect(await names()).toEqual([...rest, ['events', true]]);
  await third.stop();
  expect(await names()).toEqual(rest);
});

interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly from: string;
  readonly default: string | null;
}

test('every setting is told of, with where its value comes from', async () => {
  const { settings } = (await tellAdmin('get_configuration')) as { settings: readonly Setting[] };
  expect(settings.map(({ name }) => name)).toEqual(Object.values(options).map(variableName));
  const of = (name: string) => settings.find((setting) => setting.name === name);
  expect(of('JOINERY_POOL_SIZE')).toMatchObject({ value: '10', from: 'default', default: '10' });
  expect(of('JOINERY_PORT')).toMatchObject({ value: '0', from: 'environment', default: '8080' });
  expect(of('JOINERY_METADATA_DIR')).toMatchObject({ value: null, from: 'default', default: null });
  expect(of('JOINERY_ADMIN_SECRET')).toMatchObject({ value: '***', from: 'environment' });
  expect(of('JOINERY_CORS_DOMAIN')).toMatchObject({ value: '***,https://*.example' });
});

test('no secret is in what is told of settings', async () => {
  const told = JSON.stringify(await tellAdmin('get_configuration'));
  const shown = Object.values(secrets).filter((secret) => told.includes(JSON.stringify(secret).slice(1, -1)));
  expect(shown).toEqual([]);
  expect(told).not.toMatch(/another-secret|0123456789|whsec_[A-Za-z0-9+/]{8}/);
});

test('the version of the metadata is told alone, and goes up with each change', async () => {
  const { resource_version: before } = (await tellAdmin('get_resource_version')) as { resource_version: number };
  await tellAdmin('create_query_collection', { name: 'some', definition: { queries: [] } });
  expect(await tellAdmin('get_resource_version')).toEqual({ resource_version: before + 1 });
  await tellAdmin('drop_query_collection', { collection: 'some' });
});

test('none of it is for others than admins', async () => {
  for (const type of ['get_nodes', 'get_configuration', 'get_resource_version']) {
    const { status, body } = await one.post('/v1/metadata', { type, args: {} }, { ...admin, 'x-service-role': 'user' });
    expect([status, body]).toMatchObject([400, { code: 'access-denied' }]);
  }
});

test('arguments are refused, as there are none', async () => {
  const { status, body } = await one.post('/v1/metadata', { type: 'get_nodes', args: { all: true } }, admin);
  expect([status, body]).toMatchObject([400, { code: 'parse-failed', path: '$.args.all' }]);
});
