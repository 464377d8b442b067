/** How often the start of the service and its commands read the catalog, which takes most of the time of both in a large database. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { type Running, start } from '../../src/main.ts';
import { pooled } from '../support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { until } from '../support/until.ts';

const tables = `
  create table author (id int primary key, name text);
  create table article (id int primary key, title text, author_id int references author);
`;

const user = { table: 'author', role: 'user' };
const readAll = { columns: '*', filter: {} };
const configuration = { connection_info: { database_url: { from_env: 'JOINERY_DATABASE_URL' } } };
const source = { name: 'default', kind: 'postgres', configuration, tables: [{ table: 'author' }] };

/** Commands in their order, each with the number of reads of the whole catalog and of single tables. */
const commands: readonly (readonly [type: string, args: unknown, whole: number, single: number])[] = [
  ['pg_track_tables', { tables: ['author', 'article'].map((table) => ({ table })) }, 1, 0],
  ['create_select_permission', { ...user, permission: readAll }, 0, 0],
  ['drop_select_permission', user, 0, 0],
  ['run_sql', { sql: 'create table later (id int primary key)' }, 1, 0],
  ['run_sql', { sql: 'select 1', read_only: true }, 0, 0],
  [
    'bulk',
    [
      { type: 'run_sql', args: { sql: 'alter table later add note text' } },
      { type: 'track_table', args: 'later' },
      { type: 'create_select_permission', args: { ...user, table: 'later', permission: readAll } },
    ],
    1,
    0,
  ],
  ['pg_get_table_info', { source: 'default', table: 'later' }, 0, 1],
  ['export_metadata', {}, 0, 0],
  ['reload_metadata', {}, 1, 0],
  ['replace_metadata', { version: 3, sources: [source] }, 1, 0],
];

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase({ sql: tables });
});

afterAll(() => database.drop());

/** A service that counts its reads of the catalog, and what it has observed. */
async function counted() {
  const observed: Observation[] = [];
  const url = pooled(database.url);
  const environment = { JOINERY_DATABASE_URL: url, JOINERY_PORT: '0', JOINERY_LOG_LEVEL: 'silent' };
  const running: Running = await start({ environment, observe: (observation) => observed.push(observation) });
  const statements = () => observed.flatMap((one) => (one.kind === 'statement' ? one.text : []));
  const reads = (): readonly number[] => {
    const all = statements().filter((text) => text.includes('namespaces as materialized'));
    const whole = all.filter((text) => text.includes('/* of the table */'));
    return [whole.length, all.length - whole.length];
  };
  return {
    statements,
    reads,
    /** Runs a command and returns the numbers of reads. */
    command: async (type: string, args: unknown): Promise<readonly number[]> => {
      observed.length = 0;
      const response = await fetch(`${running.url}/v1/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-role': 'admin' },
        body: JSON.stringify({ type, args }),
      });
      expect(response.status, `${type}: ${await response.text()}`).toBe(200);
      return reads();
    },
    stop: () => running.stop('the test has ended'),
  };
}

test('the catalog is read once at the start, and once by a command that needs it', async () => {
  const service = await counted();
  try {
    expect(service.reads(), 'start').toEqual([1, 0]);
    for (const [type, args, ...reads] of commands) {
      expect(await service.command(type, args), `${type} ${JSON.stringify(args)}`).toEqual(reads);
    }
  } finally {
    await service.stop();
  }
});

test('a start with event triggers, whose tables it migrates, reads the catalog once', async () => {
  const first = await counted();
  try {
    await first.command('create_event_trigger', {
      name: 'changed',
      table: 'author',
      webhook: 'http://127.0.0.1:9',
      insert: { columns: '*' },
    });
  } finally {
    await first.stop();
  }
  const second = await counted();
  try {
    await until(
      'the comparison with the source',
      () => second.statements().some((text) => text.includes('source_function_migrations')) || undefined,
    );
  } finally {
    // Waits for the comparison.
    await second.stop();
  }
  expect(second.reads()).toEqual([1, 0]);
});
