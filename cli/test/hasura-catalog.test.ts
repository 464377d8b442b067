/** Tests of the views of `hdb_catalog`, and of deployments whose migrations read them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

let service: TestService;
let other: TestDatabase;
let folder: string;

beforeAll(async () => {
  other = await testDatabase();
  service = await startService({ OTHER_URL: other.url, JOINERY_COMPONENTS: 'api' });
  folder = await mkdtemp(join(tmpdir(), 'joinery-catalog-'));
});

afterAll(async () => {
  await service.stop();
  await other.drop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n` });
});

afterEach(async () => {
  await sql('drop schema if exists hdb_catalog cascade; drop schema public cascade; create schema public');
  await sql(
    'truncate joinery.scheduled_events, joinery.processed_events, joinery.event_invocations, joinery.action_log',
  );
  await sql('drop schema if exists hdb_catalog cascade', other);
});

const run = (...args: string[]) => joinery([...args, '--project', folder]);

async function sql(text: string, { database } = service.database): Promise<readonly (readonly (string | null)[])[]> {
  return (await database.query({ text, values: [] })).rows;
}

async function scheduleOne(): Promise<string> {
  const args = {
    webhook: 'https://example.com/hook',
    schedule_at: '2099-01-02T03:04:05Z',
    payload: { a: 1 },
    comment: 'renewal',
  };
  const { event_id } = (await service.command('create_scheduled_event', args)) as { readonly event_id: string };
  return event_id;
}

/** Writes a processed event with one call. */
async function processOne(trigger?: string): Promise<string> {
  const [[id = ''] = []] = await sql(`insert into joinery.processed_events (id, webhook, schedule_at, payload, headers,
      num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds, created_at, tries, status, trigger_name)
    values (gen_random_uuid(), 'https://example.com', '2026-01-01', '{"b": 2}', '[]', 0, 10, 60, 21600, now(), 1, 'error',
      ${trigger === undefined ? 'null' : `'${trigger}'`}) returning id`);
  await sql(`insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response)
    values ('${id}', 1, 'test', now(), 5, 503, '{"type": "client_error"}')`);
  return id ?? '';
}

it('has room for the tables in which the tool of Hasura v2 records the migrations of config version 2', async () => {
  expect(await run('doctor', '--hasura-catalog')).toMatchObject({ code: 0 });
  const send = (text: string) => service.command('run_sql', { sql: text });
  await send(
    'CREATE TABLE IF NOT EXISTS hdb_catalog.schema_migrations (version bigint not null primary key, dirty boolean not null)',
  );
  await send(
    'CREATE TABLE IF NOT EXISTS hdb_catalog.migration_settings (setting text not null primary key, value text not null)',
  );
  await send('INSERT INTO hdb_catalog.schema_migrations (version, dirty) VALUES (1600000000000, false)');
  expect(await send('SELECT version, dirty FROM hdb_catalog.schema_migrations')).toEqual({
    result_type: 'TuplesOk',
    result: [
      ['version', 'dirty'],
      ['1600000000000', 'f'],
    ],
  });
  await run('doctor', '--remove-hasura-catalog');
  expect(await sql('select version::text from hdb_catalog.schema_migrations')).toEqual([['1600000000000']]);
});

const columns = {
  event_log:
    'id text, schema_name text, table_name text, trigger_name text, payload jsonb, delivered bool, error bool, tries int4, created_at timestamp, locked timestamptz, next_retry_at timestamp, archived bool',
  event_invocation_logs:
    'id text, trigger_name text, event_id text, status int4, request json, response json, created_at timestamp',
  hdb_scheduled_events:
    'id text, webhook_conf json, scheduled_time timestamptz, retry_conf json, payload json, header_conf json, status text, tries int4, created_at timestamp, next_retry_at timestamptz, comment text',
  hdb_cron_events:
    'id text, trigger_name text, scheduled_time timestamptz, status text, tries int4, created_at timestamp, next_retry_at timestamptz',
  hdb_scheduled_event_invocation_logs:
    'id text, event_id text, status int4, request json, response json, created_at timestamp',
  hdb_cron_event_invocation_logs:
    'id text, event_id text, status int4, request json, response json, created_at timestamp',
  hdb_action_log:
    'id uuid, action_name text, input_payload jsonb, request_headers jsonb, session_variables jsonb, response_payload jsonb, errors jsonb, created_at timestamptz, response_received_at timestamptz, status text',
};

async function columnsOf(view: string, of = service.database): Promise<unknown> {
  const [[text] = []] = await sql(
    `select string_agg(column_name || ' ' || udt_name, ', ' order by ordinal_position)
     from information_schema.columns where table_schema = 'hdb_catalog' and table_name = '${view}'`,
    of,
  );
  return text;
}

describe('joinery doctor --hasura-catalog', () => {
  it('creates the views with the columns and types of Hasura v2, and can run again', async () => {
    expect(await run('doctor', '--hasura-catalog')).toMatchObject({
      code: 0,
      out: expect.stringContaining('the views of hdb_catalog exist; they show scheduled events'),
    });
    for (const [view, expected] of Object.entries(columns))
      expect([view, await columnsOf(view)]).toEqual([view, expected]);
    expect(await run('doctor', '--hasura-catalog')).toMatchObject({ code: 0 });
  });

  it('shows scheduled events and their calls', async () => {
    await run('doctor', '--hasura-catalog');
    const [pending, processed] = [await scheduleOne(), await processOne()];
    const read = `select id, webhook_conf #>> '{}', extract(year from scheduled_time)::int::text, payload::text, status, comment
      from hdb_catalog.hdb_scheduled_events order by scheduled_time`;
    expect(await sql(read)).toEqual([
      [processed, 'https://example.com', '2026', '{"b": 2}', 'error', null],
      [pending, 'https://example.com/hook', '2099', '{"a":1}', 'scheduled', 'renewal'],
    ]);
    const calls = `select event_id, status, request #>> '{payload,payload,b}', request ->> 'version', response ->> 'type'
      from hdb_catalog.hdb_scheduled_event_invocation_logs`;
    expect(await sql(calls)).toEqual([[processed, '503', '2', '1', 'client_error']]);
    expect(await sql('select * from hdb_catalog.hdb_cron_events')).toEqual([]);
  });

  it('shows events of cron triggers, and actions', async () => {
    await run('doctor', '--hasura-catalog');
    const id = await processOne('nightly');
    expect(await sql('select id, trigger_name, status from hdb_catalog.hdb_cron_events')).toEqual([
      [id, 'nightly', 'error'],
    ]);
    expect(await sql(`select request #>> '{payload,name}' from hdb_catalog.hdb_cron_event_invocation_logs`)).toEqual([
      ['nightly'],
    ]);
    await sql(
      `insert into joinery.action_log (action_name, input_payload, session_variables) values ('pay', '{"n": 1}', '{}')`,
    );
    expect(await sql(`select action_name, input_payload ->> 'n', status from hdb_catalog.hdb_action_log`)).toEqual([
      ['pay', '1', 'created'],
    ]);
  });

  it.each([
    ["delete from hdb_catalog.hdb_scheduled_events where created_at < now() + interval '1 day'", [0, 1, 1]],
    ['delete from hdb_catalog.hdb_cron_events', [2, 0, 1]],
    ['delete from hdb_catalog.hdb_scheduled_event_invocation_logs', [2, 1, 1]],
    ['delete from hdb_catalog.hdb_cron_event_invocation_logs', [2, 1, 1]],
    [`delete from hdb_catalog.event_log where delivered; update hdb_catalog.event_log set archived = true`, [2, 1, 2]],
    ['delete from hdb_catalog.event_invocation_logs', [2, 1, 2]],
  ])('runs %s', async (statement, left) => {
    await run('doctor', '--hasura-catalog');
    await scheduleOne();
    await processOne();
    await processOne('nightly');
    await sql(statement);
    const [counts = []] = await sql(`select (select count(*) from hdb_catalog.hdb_scheduled_events),
      (select count(*) from hdb_catalog.hdb_cron_events), (select count(*) from joinery.event_invocations)`);
    expect(counts.map(Number)).toEqual(left);
  });

  it('runs updates of status and time, and rejects others', async () => {
    await run('doctor', '--hasura-catalog');
    const [pending, processed] = [await scheduleOne(), await processOne()];
    await sql(`update hdb_catalog.hdb_scheduled_events set status = 'dead' where id = '${pending}'`);
    await sql(`update hdb_catalog.hdb_scheduled_events set status = 'scheduled', tries = 0 where id = '${processed}'`);
    expect(await sql('select id, status from hdb_catalog.hdb_scheduled_events order by scheduled_time')).toEqual([
      [processed, 'scheduled'],
      [pending, 'dead'],
    ]);
    await sql(`update hdb_catalog.hdb_scheduled_events set scheduled_time = '2098-01-01' where id = '${processed}'`);
    expect(await sql(`select extract(year from schedule_at)::int::text from joinery.scheduled_events`)).toEqual([
      ['2098'],
    ]);
    await expect(sql(`update hdb_catalog.hdb_scheduled_events set payload = '{}'`)).rejects.toThrow(/only status/);
  });

  it('runs inserts of scheduled events, and updates and deletions of actions', async () => {
    await run('doctor', '--hasura-catalog');
    const [[id] = []] =
      await sql(`insert into hdb_catalog.hdb_scheduled_events (webhook_conf, scheduled_time, payload, retry_conf)
      values ('"https://example.com/new"', '2099-05-06', '{"c": 3}', '{"num_retries": 2}') returning id`);
    expect(await sql('select id, webhook, num_retries::text from joinery.scheduled_events')).toEqual([
      [id, 'https://example.com/new', '2'],
    ]);
    await sql(
      `insert into joinery.action_log (action_name, input_payload, session_variables) values ('pay', '{}', '{}')`,
    );
    await sql(`update hdb_catalog.hdb_action_log set status = 'completed', response_payload = '{"ok": true}'`);
    expect(await sql(`select status, response_payload ->> 'ok' from joinery.action_log`)).toEqual([
      ['completed', 'true'],
    ]);
    await sql('delete from hdb_catalog.hdb_action_log');
    expect(await sql('select * from joinery.action_log')).toEqual([]);
  });

  it('creates empty views in a source that does not have the schema joinery', async () => {
    const source = { name: 'other', configuration: { connection_info: { database_url: { from_env: 'OTHER_URL' } } } };
    await service.command('pg_add_source', source);
    try {
      expect(await run('doctor', '--hasura-catalog', '--database-name', 'other')).toMatchObject({
        code: 0,
        out: expect.stringContaining('all are empty'),
      });
      for (const [view, expected] of Object.entries(columns)) {
        expect([view, await columnsOf(view, other)]).toEqual([view, expected]);
        expect(await sql(`delete from hdb_catalog.${view}`, other)).toEqual([]);
      }
      expect(await sql(`select to_regnamespace('hdb_catalog')`)).toEqual([[null]]);
    } finally {
      await service.command('pg_drop_source', { name: 'other' });
    }
  });

  it('leaves the catalog of Hasura v2 unchanged', async () => {
    await sql('create schema hdb_catalog; create table hdb_catalog.event_log (id text)');
    for (const option of ['--hasura-catalog', '--remove-hasura-catalog']) {
      expect(await run('doctor', option)).toMatchObject({
        code: 1,
        out: expect.stringContaining('was created by Hasura v2'),
      });
    }
    expect(await columnsOf('event_log')).toBe('id text');
    expect(await run('doctor')).toMatchObject({ out: expect.stringContaining('it has the catalog of Hasura v2') });
  });
});

describe('joinery doctor --remove-hasura-catalog', () => {
  it('removes the views and their schema', async () => {
    await run('doctor', '--hasura-catalog');
    const id = await scheduleOne();
    expect(await run('doctor', '--remove-hasura-catalog')).toMatchObject({ code: 0 });
    expect(await sql(`select to_regnamespace('hdb_catalog')`)).toEqual([[null]]);
    expect(await sql('select id from joinery.scheduled_events')).toEqual([[id]]);
    expect(await run('doctor', '--remove-hasura-catalog')).toMatchObject({ code: 0 });
  });

  it('keeps other objects of the schema', async () => {
    await run('doctor', '--hasura-catalog');
    await sql('create table hdb_catalog.own (id int)');
    expect(await run('doctor', '--remove-hasura-catalog')).toMatchObject({
      out: expect.stringContaining('other objects'),
    });
    expect(await columnsOf('own')).toBe('id int4');
    expect(await run('doctor', '--hasura-catalog')).toMatchObject({ code: 0 });
  });

  it('reports views of the project that read them, and changes nothing', async () => {
    await run('doctor', '--hasura-catalog');
    await sql('create view public.late as select * from hdb_catalog.event_log');
    expect(await run('doctor', '--remove-hasura-catalog')).toMatchObject({
      code: 1,
      out: expect.stringContaining('late'),
    });
    expect(await columnsOf('event_log')).toBe(columns.event_log);
  });
});

describe('joinery deploy', () => {
  const project = {
    'metadata/version.yaml': 'version: 3\n',
    'metadata/databases/databases.yaml': `- name: default
  kind: postgres
  configuration: { connection_info: { database_url: { from_env: JOINERY_DATABASE_URL } } }
  tables: []
`,
  };

  it('names the command for a migration that uses hdb_catalog, and applies it after that command', async () => {
    await writeFiles(folder, {
      ...project,
      'migrations/default/1_clean/up.sql': 'delete from hdb_catalog.event_invocation_logs;\n',
    });
    expect(await run('deploy')).toMatchObject({
      code: 1,
      err: expect.stringContaining('"joinery doctor --hasura-catalog" creates the views of hdb_catalog'),
    });
    await run('doctor', '--hasura-catalog');
    expect(await run('deploy')).toMatchObject({ code: 0, out: expect.stringContaining('applied') });
  });

  it('names the extension for a migration that calls a function of pgcrypto', async () => {
    await writeFiles(folder, {
      ...project,
      'migrations/default/1_clean/up.sql': 'select 1;\n',
      'migrations/default/2_ids/up.sql': 'create table a (id uuid default public.gen_random_uuid());\n',
    });
    expect(await run('deploy')).toMatchObject({
      code: 1,
      err: expect.stringContaining('JOINERY_CREATE_PGCRYPTO=true'),
    });
  });
});
