/** The stages of an operation have the same order, errors, log lines and metrics on each transport. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { type Running, start } from '../../src/main.ts';
import { pooled } from '../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';

const sql = `
  create table author (id int primary key);
  create table article (id int primary key, author_id int references author);
  create function nothing(author author) returns int language sql stable as 'select 1';
`;

/** Documents by their error. */
const documents = {
  invalid: '{ author { nothing articles { author { id } } } }',
  deep: 'query ($id: Int) { author(where: {id: {_eq: $id}}) { articles { author { id } } } }',
};
type DocumentError = keyof typeof documents;
/** A value with which `deep` cannot be planned. */
const variables = { id: { no: 'number' } };

const commands: Readonly<Record<DocumentError, object>> = {
  invalid: { columns: ['nothing', { name: 'articles', columns: [{ name: 'author', columns: ['id'] }] }] },
  deep: {
    columns: [{ name: 'articles', columns: [{ name: 'author', columns: ['id'] }] }],
    where: { id: { $eq: { no: 'number' } } },
  },
};

let database: TestDatabase;
let running: Running;
let observations: Observation[] = [];

async function post(path: string, body: unknown, role: string): Promise<unknown> {
  const response = await fetch(running.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-role': role },
    body: JSON.stringify(body),
  });
  return response.json();
}

async function command(type: string, args: unknown): Promise<void> {
  const result = (await post('/v1/query', { type, args }, ADMIN_ROLE)) as { readonly error?: string };
  if (result.error !== undefined) throw new Error(`${type}: ${result.error}`);
}

async function overSocket(error: DocumentError, role: string, protocol: string, type: string): Promise<unknown> {
  const client = await connectedClient(running.url, { 'x-service-role': role }, { protocol });
  client.send({ type, id: '1', payload: { query: documents[error], variables } });
  for (;;) {
    const frame = await client.next();
    if (frame.type !== 'error') continue;
    await client.close();
    return frame;
  }
}

/** Functions that send an operation. Each transport has its own role, and with it its own rate limit. */
const transports: Readonly<Record<string, (error: DocumentError, role: string) => Promise<unknown>>> = {
  http: (error, role) => post('/v1/graphql', { query: documents[error], variables }, role),
  batch: (error, role) => post('/v1/graphql', [{ query: documents[error], variables }], role),
  websocket: (error, role) => overSocket(error, role, 'graphql-transport-ws', 'subscribe'),
  legacy_websocket: (error, role) => overSocket(error, role, 'graphql-ws', 'start'),
  rest: (error, role) => post(`/api/rest/${error}`, error === 'deep' ? { id: 1 } : {}, role),
  data_command: (error, role) =>
    post('/v1/query', { type: 'select', args: { table: 'author', ...commands[error] } }, role),
};

beforeAll(async () => {
  database = await testDatabase({ sql });
  running = await start({
    environment: {
      JOINERY_DATABASE_URL: pooled(database.url),
      JOINERY_PORT: '0',
      JOINERY_LOG_LEVEL: 'silent',
    },
    observe: (observation) => observations.push(observation),
  });
  for (const table of ['author', 'article']) await command('track_table', table);
  await command('create_object_relationship', {
    table: 'article',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  });
  await command('create_array_relationship', {
    table: 'author',
    name: 'articles',
    using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
  });
  for (const table of ['author', 'article']) {
    for (const role of Object.keys(transports)) {
      await command('create_select_permission', { table, role, permission: { columns: '*', filter: {} } });
    }
  }
  // Only admins have the computed field, so that they can store the operation.
  await command('add_computed_field', {
    table: 'author',
    name: 'nothing',
    definition: { function: { schema: 'public', name: 'nothing' } },
  });
  const queries = Object.entries(documents).map(([name, query]) => ({ name, query }));
  await command('create_query_collection', { name: 'stored', definition: { queries } });
  for (const name of Object.keys(documents)) {
    await command('create_rest_endpoint', {
      name,
      url: name,
      methods: ['POST'],
      definition: { query: { collection_name: 'stored', query_name: name } },
    });
  }
});

afterAll(async () => {
  await running?.stop('the test has ended');
  await database?.drop();
});

beforeEach(() => {
  observations = [];
});

/** Returns the errors and operations that were reported to the log, the metrics and the recent errors. */
function reported(): readonly unknown[] {
  return observations.flatMap((one): unknown[] => {
    if (one.kind === 'refused') return [{ kind: one.kind, code: one.error.code, role: one.role }];
    if (one.kind === 'operation') return [{ kind: one.kind, code: one.code, role: one.role, type: one.type }];
    return [];
  });
}

function expectRejection(code: string, role: string): void {
  const found = reported();
  expect(found).toHaveLength(2);
  expect(found).toContainEqual({ kind: 'refused', code, role });
  expect(found).toContainEqual({ kind: 'operation', code, role, type: 'unknown' });
}

describe.each(Object.entries(transports))('an operation over %s', (role, send) => {
  it('is parsed before the request limits are applied', async () => {
    await command('set_api_limits', { depth_limit: { global: 2 } });
    expect(JSON.stringify(await send('invalid', role))).toContain('nothing');
    expectRejection(role === 'data_command' ? 'not-exists' : 'validation-failed', role);
  });

  it('is checked against the request limits before it is planned', async () => {
    await command('set_api_limits', { depth_limit: { global: 2 } });
    expect(JSON.stringify(await send('deep', role))).toContain('depth-limit-exceeded');
    expectRejection('depth-limit-exceeded', role);
  });

  it('is rate-limited before it is parsed', async () => {
    await command('set_api_limits', { depth_limit: { global: 2 }, rate_limit: { global: { max_reqs_per_min: 1 } } });
    // A new minute can begin once between the requests.
    for (const error of ['deep', 'invalid', 'invalid'] as const) {
      observations = [];
      const response = JSON.stringify(await send(error, role));
      if (response.includes('rate-limit-exceeded')) break;
    }
    expectRejection('rate-limit-exceeded', role);
  });
});
