/**
 * Sends the whole corpus to one service in its own process. After each input the process is alive, has responded to all
 * health checks, and returns the result of a plain query. `HOSTILE_SHOW=true` prints the outcomes that differ.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pooled } from '../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';
import { until } from '../support/until.ts';
import { type HostileInput, type ResponseInput, readCorpus } from './corpus.ts';
import { adminSecret, jwtKey, type Outcome, sendHttp, sendTcp, sendToken } from './senders.ts';
import { startUpstream, type Upstream } from './upstream.ts';
import { sendFrames } from './websocket-frames.ts';

const headers = { 'content-type': 'application/json', 'x-service-admin-secret': adminSecret };
const PROBE_INTERVAL_MS = 20;

const sql = `
  create table note (id int primary key, text text, size int, docs jsonb, up_id int references note);
  insert into note values (1, 'one', 1, '{"a": [1, 2]}', 1);
`;
/** Outcomes that no input may have, unless it declares them. */
const rejectedCodes = /\b(?:unexpected|postgres-error|50\d)\b/;

let database: TestDatabase;
let service: ServiceProcess;
let upstream: Upstream;
let probes: Promise<void>;
const probing = new AbortController();
let longestProbe = 0;
const failedProbes: string[] = [];

async function command(type: string, args: unknown): Promise<unknown> {
  const body = JSON.stringify({ type, args });
  const response = await fetch(`${service.url}/v1/metadata`, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${type}: ${text}`);
  return JSON.parse(text);
}

async function query(text: string): Promise<Outcome> {
  return sendHttp(service.url, { name: '', expect: '', to: 'graphql', query: text });
}

beforeAll(async () => {
  database = await testDatabase({ sql });
  upstream = await startUpstream();
  service = await startServiceProcess({
    JOINERY_DATABASE_URL: pooled(database.url),
    JOINERY_PORT: '0',
    JOINERY_LOG_LEVEL: 'error',
    JOINERY_ADMIN_SECRET: adminSecret,
    JOINERY_UNAUTHORIZED_ROLE: 'anyone',
    JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true',
    JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key: jwtKey }),
    JOINERY_MAX_BODY_BYTES: '1000000',
    JOINERY_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '1',
  });
  await command('pg_track_table', { table: 'note' });
  await command('pg_create_object_relationship', {
    table: 'note',
    name: 'up',
    using: { foreign_key_constraint_on: 'up_id' },
  });
  const permission = { columns: '*', filter: {}, allow_aggregations: true };
  for (const role of ['anyone', 'user']) {
    await command('pg_create_select_permission', { table: 'note', role, permission });
    await command('pg_create_insert_permission', { table: 'note', role, permission: { columns: '*', check: {} } });
  }
  const text = 'query ($text: String, $size: Int) { note(where: {text: {_eq: $text}, size: {_eq: $size}}) { id } }';
  await command('create_query_collection', { name: 'c', definition: { queries: [{ name: 'named', query: text }] } });
  const definition = { query: { collection_name: 'c', query_name: 'named' } };
  await command('create_rest_endpoint', { name: 'one', url: 'named', methods: ['GET', 'POST'], definition });
  await command('create_rest_endpoint', { name: 'two', url: 'named/:text', methods: ['GET'], definition });
  const output = [
    {
      name: 'Reply',
      fields: [
        { name: 'text', type: 'String' },
        { name: 'size', type: 'Int!' },
      ],
    },
  ];
  await command('set_custom_types', { objects: output });
  const handler = {
    kind: 'synchronous',
    type: 'query',
    handler: `${upstream.url}/action`,
    output_type: 'Reply',
    timeout: 5,
  };
  await command('create_action', { name: 'greet', definition: handler });
  await command('add_remote_schema', {
    name: 'remote',
    definition: { url: `${upstream.url}/remote`, timeout_seconds: 5 },
  });
  for (const role of ['anyone']) {
    await command('create_action_permission', { action: 'greet', role });
    const schema =
      'type Item { id: ID! name: String size: Int items: [Item!] } type Query { item: Item items: [Item!]! }';
    await command('add_remote_schema_permissions', { remote_schema: 'remote', role, definition: { schema } });
  }
  probes = probe();
});
afterAll(async () => {
  probing.abort();
  await probes;
  const peak = Math.round((await service?.peakMemory()) / 1024 ** 2);
  writeSync(1, `hostile corpus: peak memory ${peak} MB, longest health check ${longestProbe} ms\n`);
  await service?.stop();
  await upstream?.close();
  await database?.drop();
});

async function probe(): Promise<void> {
  while (!probing.signal.aborted) {
    const began = performance.now();
    const response = await fetch(`${service.url}/healthz`).catch((error: unknown) => String(error));
    if (typeof response === 'string' || response.status !== 200) {
      failedProbes.push(typeof response === 'string' ? response : String(response.status));
    } else await response.arrayBuffer();
    longestProbe = Math.max(longestProbe, Math.round(performance.now() - began));
    await sleep(PROBE_INTERVAL_MS);
  }
}

afterEach(async () => {
  expect(service.ended()).toBe(false);
  expect(failedProbes).toEqual([]);
  const response = await fetch(`${service.url}/v1/graphql`, {
    method: 'POST',
    headers,
    body: '{"query":"{ note(where: {id: {_eq: 1}}) { id text docs } }"}',
  });
  expect(await response.json()).toEqual({ data: { note: [{ id: 1, text: 'one', docs: { a: [1, 2] } }] } });
});

function send(input: HostileInput): Promise<Outcome> {
  switch (input.to) {
    case 'graphql':
    case 'metadata':
    case 'rest':
    case 'http':
      return sendHttp(service.url, input);
    case 'tcp':
      return sendTcp(service.url, input);
    case 'websocket':
      return sendFrames(service.url, input);
    case 'jwt':
      return sendToken(service.url, input);
    case 'action':
      upstream.respondWith(input);
      return query(input.query ?? '{ greet { text size } }');
    case 'remote':
      upstream.respondWith(input);
      return query(input.query ?? '{ item { id name size } }');
    case 'webhook':
      return deliver(input);
    default:
      return input satisfies never;
  }
}

/** Creates an event and returns its status after one attempt. */
async function deliver(input: ResponseInput): Promise<Outcome> {
  upstream.respondWith(input);
  const { event_id } = (await command('create_scheduled_event', {
    webhook: `${upstream.url}/webhook`,
    schedule_at: '2000-01-01T00:00:00Z',
    payload: {},
    retry_conf: { num_retries: 0, timeout_seconds: 5, tolerance_seconds: 2_000_000_000 },
  })) as { event_id: string };
  return until('the event has been attempted', async () => {
    const args = { event_id };
    const { event } = (await command('get_scheduled_event', args)) as {
      event?: { status: string };
    };
    return event !== undefined && !['scheduled', 'locked'].includes(event.status) ? event.status : undefined;
  });
}

for (const { category, inputs } of readCorpus()) {
  describe(category.replaceAll('-', ' '), () => {
    test.each(inputs.map((input) => [input.name, input] as const))('%s', async (_name, input) => {
      const outcome = await send(input);
      const permitted = Array.isArray(input.expect) ? input.expect : [input.expect];
      if (process.env.HOSTILE_SHOW === 'true' && !permitted.includes(outcome)) {
        writeSync(1, `OUTCOME ${JSON.stringify([category, input.name, outcome])}\n`);
      }
      if (!permitted.some((one) => rejectedCodes.test(one))) expect(outcome).not.toMatch(rejectedCodes);
      expect(permitted).toContain(outcome);
    });
  });
}

test('logs no internal error for the whole corpus', () => {
  // Failed action handlers are logged as rejected requests.
  expect(service.log()).not.toMatch(/"kind":"failure"/);
});
