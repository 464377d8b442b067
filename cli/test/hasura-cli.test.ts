/**
 * Sends the requests of the subcommands of the Hasura v2 command line tool, in their order, and checks what it reads from the
 * responses. The migrations that it records are those of `joinery migrate`, in both directions.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

let service: TestService;
let main: TestDatabase;
let folder: string;

const secret = { 'x-hasura-admin-secret': 'secret' };

beforeAll(async () => {
  main = await testDatabase();
  service = await startService({
    MAIN_URL: main.url,
    HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
    JOINERY_HASURA_ENV: 'true',
  });
  folder = await mkdtemp(join(tmpdir(), 'joinery-hasura-cli-'));
  await writeFiles(folder, {
    'config.yaml': `version: 3\nendpoint: ${service.url}\nadmin_secret: secret\n`,
    'migrations/main/100_song/up.sql': 'create table song (id int primary key);\n',
    'migrations/main/100_song/down.sql': 'drop table song;\n',
    'migrations/main/200_name/up.sql': 'alter table song add name text;\n',
    'migrations/main/200_name/down.sql': 'alter table song drop name;\n',
  });
});

afterAll(async () => {
  await service.stop();
  await main.drop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await post('/v1/metadata', { type: 'clear_metadata', args: {} });
  await post('/v1/metadata', { type: 'set_catalog_state', args: { type: 'cli', state: {} } });
  const text = 'drop schema public cascade; create schema public; drop schema if exists joinery cascade';
  await main.database.query({ text, values: [] });
});

async function post(path: string, body: unknown): Promise<unknown> {
  const response = await service.post(path, body, secret);
  expect({ path, body, status: response.status, response: response.body }).toMatchObject({ status: 200 });
  return response.body;
}

const metadata = {
  version: 3,
  sources: [
    {
      name: 'main',
      kind: 'postgres',
      tables: [{ table: { name: 'song', schema: 'public' } }],
      configuration: { connection_info: { database_url: { from_env: 'MAIN_URL' } } },
    },
  ],
};

interface CliState {
  migrations?: Record<string, Record<string, boolean>>;
  settings: Record<string, string>;
  isStateCopyCompleted: boolean;
}

/** The first requests of each subcommand that needs a project. */
async function begin(): Promise<void> {
  for (let request = 0; request < 2; request += 1) {
    const response = await fetch(`${service.url}/v1/version`);
    expect(response.status).toBe(200);
    const { version } = (await response.json()) as { version: string };
    // From v1.0.0 on the header of the secret is the present one, and from v1.3.0 on all objects are exported.
    expect(version).toMatch(/^v2\.\d+\.\d+$/);
  }
  const config = await fetch(`${service.url}/v1alpha1/config`, { headers: secret });
  expect(await config.json()).toHaveProperty('console_assets_dir');
  expect(await post('/v1/query', { type: 'export_metadata', args: {} })).toMatchObject({ version: 3 });
  expect(await post('/v1/metadata', { type: 'get_catalog_state', args: {} })).toHaveProperty('id');
}

/** Reads the state as the tool decodes it: absent members have empty values. */
async function readState(): Promise<CliState> {
  const { cli_state } = (await post('/v1/metadata', { type: 'get_catalog_state', args: {} })) as {
    cli_state: Partial<CliState>;
  };
  return { settings: {}, isStateCopyCompleted: false, ...cli_state };
}

/** Writes the state as the tool encodes it: without an empty `migrations`. */
async function writeState({ migrations = {}, ...more }: CliState): Promise<void> {
  const state = { ...(Object.keys(migrations).length > 0 && { migrations }), ...more };
  expect(await post('/v1/metadata', { type: 'set_catalog_state', args: { type: 'cli', state } })).toEqual({
    message: 'success',
  });
}

/** The requests before the commands on migrations. Returns the applied versions. */
async function openDriver(source: string): Promise<string[]> {
  const state = await readState();
  await writeState({ ...state, settings: { migration_mode: 'true', ...state.settings } });
  const versions = Object.keys((await readState()).migrations?.[source] ?? {});
  const { isStateCopyCompleted } = await readState();
  if (!isStateCopyCompleted) {
    const sql = `SELECT COUNT(1) FROM information_schema.tables WHERE table_name = 'schema_migrations' AND table_schema = 'hdb_catalog' LIMIT 1`;
    const { result_type, result } = (await post('/v2/query', { type: 'run_sql', args: { source, sql } })) as {
      result_type: string;
      result: string[][];
    };
    expect([result_type, result[1]]).toEqual(['TuplesOk', ['0']]);
    await writeState({ ...(await readState()), isStateCopyCompleted: true });
  }
  expect((await readState()).settings.migration_mode).toBe('true');
  return versions;
}

async function applyMigration(source: string, version: string, sql: string): Promise<void> {
  const args = { sql, source, check_metadata_consistency: false };
  expect(await post('/v2/query', { type: 'run_sql', args })).toEqual({ result_type: 'CommandOk', result: null });
  const state = await readState();
  const migrations = { ...state.migrations, [source]: { ...state.migrations?.[source], [version]: false } };
  await writeState({ ...state, migrations });
}

async function applyMetadata(): Promise<unknown> {
  const args = { allow_inconsistent_metadata: true, metadata };
  return post('/v1/metadata', { type: 'replace_metadata', version: 2, args });
}

const run = (...args: string[]) => joinery([...args, '--project', folder]);

/** Returns the versions with a time of application in `joinery migrate status`. */
async function appliedHere(): Promise<string[]> {
  const { out } = await run('migrate', 'status', '-o', 'json');
  const lists = JSON.parse(out) as { migrations: { version: string; applied_at: string | null }[] }[];
  return lists.flatMap(({ migrations }) =>
    migrations.filter(({ applied_at }) => applied_at !== null).map(({ version }) => version),
  );
}

describe('the requests of the Hasura v2 command line tool', () => {
  it('metadata apply, export, reload and inconsistency get what the tool reads', async () => {
    await begin();
    expect(await applyMetadata()).toMatchObject({ is_consistent: false, inconsistent_objects: [{ type: 'table' }] });
    expect(await post('/v1/metadata', { type: 'export_metadata', args: {} })).toEqual(metadata);
    const inconsistent = { type: 'get_inconsistent_metadata', args: {} };
    expect(await post('/v1/metadata', inconsistent)).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ type: 'table', reason: expect.any(String), definition: expect.anything() }],
    });
    await main.database.query({ text: 'create table song (id int primary key)', values: [] });
    expect(await post('/v1/metadata', { type: 'reload_metadata', args: {} })).toMatchObject({ message: 'success' });
    expect(await post('/v1/metadata', inconsistent)).toEqual({ is_consistent: true, inconsistent_objects: [] });
    expect(await post('/v1/metadata', { type: 'drop_inconsistent_metadata', args: {} })).toEqual({
      message: 'success',
    });
    expect(await post('/v1/metadata', { type: 'clear_metadata', args: {} })).toEqual({ message: 'success' });
  });

  it('migrate apply records migrations that joinery migrate status reads', async () => {
    await begin();
    await applyMetadata();
    expect(await openDriver('main')).toEqual([]);
    await applyMigration('main', '100', 'create table song (id int primary key);');
    expect(await appliedHere()).toEqual(['100']);
    expect(await run('migrate', 'apply')).toMatchObject({ code: 0, out: expect.not.stringContaining('100_song') });
    expect(await openDriver('main')).toEqual(['100', '200']);
  });

  it('migrate status reads the migrations that joinery migrate applied and rolled back', async () => {
    await applyMetadata();
    expect(await run('migrate', 'apply')).toMatchObject({ code: 0 });
    await begin();
    expect(await openDriver('main')).toEqual(['100', '200']);
    expect(await run('migrate', 'rollback')).toMatchObject({ code: 0 });
    expect(await openDriver('main')).toEqual(['100']);
  });

  it('migrate squash and delete remove versions from the state', async () => {
    await applyMetadata();
    await run('migrate', 'apply');
    await begin();
    await openDriver('main');
    for (const version of ['100', '200']) {
      const state = await readState();
      delete state.migrations?.main?.[version];
      await writeState(state);
    }
    expect(await appliedHere()).toEqual([]);
    await applyMigration('main', '200', 'select 1 where false; comment on table song is null');
    expect(await appliedHere()).toEqual(['200']);
  });

  it('migrate create --from-server and seed create --from-table call pg_dump', async () => {
    await begin();
    await applyMetadata();
    const schema = ['-O', '-x', '--schema-only', '--schema', 'public'];
    const rows = ['--no-owner', '--no-acl', '--data-only', '--column-inserts', '--table', '"public"."song"'];
    const all = ['-O', '-x', '--schema-only', '--exclude-schema', 'hdb_catalog', '--exclude-schema', 'hdb_views'];
    for (const opts of [schema, rows, all]) {
      const body = { opts, clean_output: true, source: 'nowhere' };
      // The options are accepted: they are read before the source.
      expect(await service.post('/v1alpha1/pg_dump', body, secret)).toMatchObject({ body: { path: '$.source' } });
    }
  });

  it('seed apply runs its files in a bulk', async () => {
    await begin();
    await applyMetadata();
    await applyMigration('main', '100', 'create table song (id int primary key);');
    const seed = (id: number) => ({
      type: 'run_sql',
      args: { source: 'main', sql: `insert into song values (${id});` },
    });
    const done = { result_type: 'CommandOk', result: null };
    expect(await post('/v2/query', { type: 'bulk', args: [seed(1), seed(2)] })).toEqual([done, done]);
  });

  it('deploy applies the metadata, the migrations and the metadata again, and reloads it', async () => {
    await begin();
    await applyMetadata();
    await openDriver('main');
    await applyMigration('main', '100', 'create table song (id int primary key);');
    await applyMigration('main', '200', 'drop table song; create table song (id int primary key, name text);');
    expect(await applyMetadata()).toMatchObject({ is_consistent: true });
    expect(await post('/v1/metadata', { type: 'reload_metadata', args: {} })).toMatchObject({ message: 'success' });
    expect(await post('/v1/metadata', { type: 'get_inconsistent_metadata', args: {} })).toMatchObject({
      is_consistent: true,
    });
    const { body } = await service.post('/v1/graphql', { query: '{ song { name } }' }, secret);
    expect(body).toEqual({ data: { song: [] } });
  });

  it('a migration of the console is a bulk of SQL, a record and an export', async () => {
    await begin();
    await applyMetadata();
    await openDriver('main');
    const sql = 'CREATE TABLE "public"."album" ("id" serial NOT NULL, PRIMARY KEY ("id"));';
    const args = { source: 'main', sql, cascade: false, read_only: false };
    expect(await post('/v2/query', { type: 'bulk', source: 'main', args: [{ type: 'run_sql', args }] })).toEqual([
      { result_type: 'CommandOk', result: null },
    ]);
    const track = { type: 'pg_track_table', args: { table: { name: 'album', schema: 'public' }, source: 'main' } };
    expect(await post('/v1/metadata', track)).toEqual({ message: 'success' });
    expect(await post('/v1/metadata', { type: 'list_source_kinds', args: {} })).toHaveProperty('sources');
    const read = { type: 'run_sql', args: { source: 'main', sql: 'select 1', read_only: true } };
    expect(await post('/v2/query', { type: 'concurrent_bulk', source: 'main', args: [read, read] })).toHaveLength(2);
    expect(await post('/v1/metadata', { type: 'export_metadata', version: 2, args: {} })).toHaveProperty(
      'resource_version',
    );
  });

  it('an error of a migration has the members that the tool prints', async () => {
    await applyMetadata();
    const args = { sql: 'select nothing', source: 'main', check_metadata_consistency: false };
    expect(await service.post('/v2/query', { type: 'run_sql', args }, secret)).toMatchObject({
      status: 400,
      body: {
        code: 'postgres-error',
        error: expect.stringMatching(/^query execution failed/),
        internal: { statement: 'select nothing', error: { status_code: '42703', message: expect.any(String) } },
      },
    });
  });
});
