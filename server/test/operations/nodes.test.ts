/** Commands that report the nodes, the settings of a node and the version of the metadata. */
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
  // Not a setting, but a secret that a setting may contain by mistake.
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

async function runAsAdmin(type: string, args: unknown = {}): Promise<unknown> {
  const { status, body } = await one.post('/v1/metadata', { type, args }, admin);
  expect(status).toBe(200);
  return body;
}

interface Nodes {
  readonly answered_by: string;
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
}

test('get_nodes lists every node, oldest first, with its components and its claimed events', async () => {
  const { nodes, answered_by } = (await runAsAdmin('get_nodes')) as Nodes;
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
  const [lease] = (
    await database.database.query({
      text: "select id, node from joinery.event_leases where node like '% events'",
      values: [],
    })
  ).rows;
  expect(lease?.[1]).toBe(`${answered_by} events`);
  await database.database.query({
    text: `insert into joinery.scheduled_events (webhook, schedule_at, lease) values ('http://127.0.0.1:9', now() + interval '1 day', $1)`,
    values: [lease?.[0] ?? ''],
  });
  expect(((await runAsAdmin('get_nodes')) as Nodes).nodes[0]).toMatchObject({ events_in_hand: 1 });
  await database.database.query({ text: 'delete from joinery.scheduled_events', values: [] });
});

test('get_nodes lists a node without a heartbeat as not alive, and omits a node that was stopped', async () => {
  await database.database.query({
    text: `insert into joinery.nodes (id, host, pid, version, components, started_at, seen_at)
      values ('silent', 'elsewhere', 7, '0.1.0', '{events}', now() - interval '1 hour', now() - interval '1 minute')`,
    values: [],
  });
  const third = await startService({ JOINERY_COMPONENTS: 'events' }, database);
  const names = async (): Promise<unknown[]> =>
    ((await runAsAdmin('get_nodes')) as Nodes).nodes.map(({ components, alive }) => [String(components), alive]);
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

test('get_configuration lists every setting with the origin of its value', async () => {
  const { settings } = (await runAsAdmin('get_configuration')) as { settings: readonly Setting[] };
  expect(settings.map(({ name }) => name)).toEqual(Object.values(options).map(variableName));
  const of = (name: string) => settings.find((setting) => setting.name === name);
  expect(of('JOINERY_POOL_SIZE')).toMatchObject({ value: '10', from: 'default', default: '10' });
  expect(of('JOINERY_PORT')).toMatchObject({ value: '0', from: 'environment', default: '8080' });
  expect(of('JOINERY_METADATA_DIR')).toMatchObject({ value: null, from: 'default', default: null });
  expect(of('JOINERY_ADMIN_SECRET')).toMatchObject({ value: '***', from: 'environment' });
  expect(of('JOINERY_CORS_DOMAIN')).toMatchObject({ value: '***,https://*.example' });
});

test('get_configuration contains no secret', async () => {
  const configuration = JSON.stringify(await runAsAdmin('get_configuration'));
  const shown = Object.values(secrets).filter((secret) => configuration.includes(JSON.stringify(secret).slice(1, -1)));
  expect(shown).toEqual([]);
  expect(configuration).not.toMatch(/another-secret|0123456789|whsec_[A-Za-z0-9+/]{8}/);
});

test('get_resource_version returns the resource version, which increases with each change', async () => {
  const { resource_version: before } = (await runAsAdmin('get_resource_version')) as { resource_version: number };
  await runAsAdmin('create_query_collection', { name: 'some', definition: { queries: [] } });
  expect(await runAsAdmin('get_resource_version')).toEqual({ resource_version: before + 1 });
  await runAsAdmin('drop_query_collection', { collection: 'some', cascade: false });
});

test('the commands are rejected for roles other than admin', async () => {
  for (const type of ['get_nodes', 'get_configuration', 'get_resource_version']) {
    const { status, body } = await one.post('/v1/metadata', { type, args: {} }, { ...admin, 'x-service-role': 'user' });
    expect([status, body]).toMatchObject([400, { code: 'access-denied' }]);
  }
});

test('the commands reject arguments', async () => {
  const { status, body } = await one.post('/v1/metadata', { type: 'get_nodes', args: { all: true } }, admin);
  expect([status, body]).toMatchObject([400, { code: 'parse-failed', path: '$.args.all' }]);
});
