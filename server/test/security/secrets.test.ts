/** Secrets are contained in no response, no log line and no export. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pooled } from '../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { column, fromNow, type Sink, startSink } from '../support/events/delivery-node.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';
import { until } from '../support/until.ts';

const admin = `admin-${randomBytes(9).toString('hex')}`;
const next = `next-${randomBytes(9).toString('hex')}`;
const hmac = `hmac-${randomBytes(24).toString('hex')}`;
const metrics = `metrics-${randomBytes(9).toString('hex')}`;
const signing = `whsec_${randomBytes(32).toString('base64')}`;
const header = `header-${randomBytes(9).toString('hex')}`;
const password = `pass-${randomBytes(9).toString('hex')}`;
const { privateKey } = generateKeyPairSync('ed25519');
const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
const signer = `whsk_${seed.toString('base64')}`;

const secrets = { admin, next, hmac, metrics, signing, header, password, signer };

let database: TestDatabase;
let service: ServiceProcess;
let sink: Sink;
const responses: string[] = [];

async function send(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  responses.push(`${path} ${text} ${JSON.stringify([...response.headers])}`);
  return text;
}

const asAdmin = { 'x-service-admin-secret': admin };
const command = (type: string, args: unknown) => send('/v1/metadata', { type, args }, asAdmin);

beforeAll(async () => {
  sink = await startSink();
  database = await testDatabase({ sql: 'create table note (id int primary key, text text)' });
  const url = new URL(pooled(database.url));
  // A server with the authentication method trust ignores the password, which is a secret nevertheless.
  if (url.password === '') url.password = password;
  service = await startServiceProcess({
    JOINERY_DATABASE_URL: url.href,
    JOINERY_PORT: '0',
    JOINERY_LOG_LEVEL: 'debug',
    JOINERY_LOG_FORMAT: 'json',
    JOINERY_QUERY_LOG: 'true',
    JOINERY_DEV_MODE: 'true',
    JOINERY_ADMIN_SECRET: admin,
    JOINERY_ADMIN_SECRETS: JSON.stringify([next]),
    JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: hmac }),
    JOINERY_METRICS_SECRET: metrics,
    JOINERY_WEBHOOK_SIGNING_KEYS: `${signing} ${signer}`,
    HANDLER_TOKEN: header,
    OTHER_DATABASE: `postgres://someone:${password}@127.0.0.1:9/nowhere`,
    HOOK: sink.origin,
  });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
  await sink?.close();
});

/** Asserts that `text` contains none of the secrets, also not in URL encoding or base64. */
function expectNoSecrets(text: string, known: Readonly<Record<string, string>> = secrets): void {
  const shown = Object.entries(known).filter(([, secret]) =>
    [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')].some((form) => text.includes(form)),
  );
  expect(shown.map(([name]) => name)).toEqual([]);
}

test('responses of failing requests and of requests with configured secrets contain no secret', {
  timeout: 60_000,
}, async () => {
  await command('pg_track_table', { table: 'note' });
  const headers = [{ name: 'authorization', value_from_env: 'HANDLER_TOKEN' }];
  await command('create_action', {
    name: 'lookup',
    definition: { kind: 'synchronous', type: 'query', output_type: 'String', handler: '{{HOOK}}/lookup', headers },
  });
  await command('create_scheduled_event', {
    webhook: '{{HOOK}}/x',
    schedule_at: fromNow(0),
    payload: {},
    headers,
  });
  await command('pg_add_source', {
    name: 'other',
    configuration: { connection_info: { database_url: { from_env: 'OTHER_DATABASE' } } },
  });
  await command('add_remote_schema', { name: 'far', definition: { url_from_env: 'OTHER_DATABASE', headers } });
  await command('create_action', {
    name: 'exposing',
    definition: {
      kind: 'synchronous',
      type: 'query',
      output_type: 'String',
      handler: '{{JOINERY_ADMIN_SECRET}}/{{JOINERY_DATABASE_URL}}',
    },
  });
  await command('test_webhook_transform', {
    webhook_url: '{{HOOK}}/{{JOINERY_JWT_SECRET}}',
    body: {},
    request_transform: {
      version: 2,
      template_engine: 'Kriti',
      body: { action: 'transform', template: '{{ $session_variables }}' },
    },
  });
  await until('the event is delivered', () => sink.calls.some((call) => call.path === '/x'));
  await send('/v1/graphql', { query: '{ lookup }' }, asAdmin);
  await send('/v1/graphql', { query: '{ note { nosuch } }' }, { ...asAdmin, 'x-service-role': 'user' });
  await send(
    '/v1/graphql',
    { query: `{ note(where: {text: {_eq: "${admin}"}}) { id } }` },
    { 'x-service-admin-secret': next },
  );
  responses.pop();
  for (const sent of ['wrong', `${admin} `, admin.slice(0, -1)]) {
    await send('/v1/graphql', { query: '{ note { id } }' }, { 'x-service-admin-secret': sent });
  }
  await send('/v1/graphql', { query: '{ note { id } }' }, { authorization: `Bearer ${hmac}` });
  await send('/v1/graphql', `{"query": "{", "secret": "${admin}"`, asAdmin);
  await send('/v1/graphql/explain', { query: { query: '{ note { id } lookup }' } }, asAdmin);
  await command('get_inconsistent_metadata', {});
  await command('export_metadata', {});
  await command('reload_metadata', {});
  await command('get_scheduled_events', { type: 'one_off' });
  await command('get_scheduled_event_invocations', { type: 'one_off' });
  await command('get_refused_requests', {});
  await send('/v1/query', { type: 'run_sql', args: { sql: 'select 1 / 0' } }, asAdmin);
  for (const path of [
    '/healthz',
    '/readyz',
    '/v1/version',
    '/v1alpha1/config',
    '/api/swagger/json',
    '/metrics',
    '/console/config.json',
    '/nothing',
  ]) {
    await send(path, undefined, asAdmin);
  }
  await send('/metrics', undefined, { authorization: `Bearer ${metrics}` });
  await send('/metrics', undefined, { authorization: `Bearer ${metrics}x` });
  const client = await frameClient(service.url);
  client.send({ type: 'connection_init', payload: { headers: { 'x-service-admin-secret': `${admin}x` } } });
  const { code, reason } = await client.closed;
  responses.push(`${code} ${reason}`);
  expect(responses.length).toBeGreaterThan(25);
  for (const response of responses) expectNoSecrets(response);
});

test('the webhook receives the header from the environment and a signature', () => {
  const called = sink.calls.find((call) => call.path === '/x');
  expect(called?.headers.authorization).toBe(header);
  expect(String(called?.headers['webhook-signature'])).toContain('v1');
});

test('the log contains no secret at the level debug', async () => {
  const lines = service.log();
  expect(lines.split('\n').length).toBeGreaterThan(50);
  expect(lines).toContain('"kind":"operation"');
  expectNoSecrets(lines);
});

test('the exported metadata contains the names of variables, not their values', async () => {
  const exported = await command('export_metadata', {});
  expect(exported).toContain('HANDLER_TOKEN');
  expect(exported).toContain('{{HOOK}}');
  expectNoSecrets(exported);
});

test('the events and their invocation log in the database contain no values of variables', async () => {
  const text = `select e::text from joinery.processed_events e union all
    select i::text from joinery.event_invocations i union all select metadata::text from joinery.metadata metadata`;
  const rows = await column(database.database, text);
  expect(rows.length).toBe(3);
  expectNoSecrets(JSON.stringify(rows));
});
