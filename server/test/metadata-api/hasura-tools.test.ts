/** Tests of the commands of the tools of Hasura v2: their state, kinds of sources and concurrent commands. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let other: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  [database, other] = await Promise.all([testDatabase({ migrated: true }), testDatabase()]);
  const environment = { OTHER_URL: other.url, AWAY_URL: 'postgres://127.0.0.1:1/none' };
  node = await startServiceCore(database, { environment });
  const source = (name: string, variable: string) => ({
    name,
    kind: 'postgres',
    tables: [],
    configuration: { connection_info: { database_url: { from_env: variable } } },
  });
  await node.run(
    'replace_metadata',
    {
      allow_inconsistent_metadata: true,
      metadata: {
        version: 3,
        sources: [{ name: 'default', tables: [] }, source('other', 'OTHER_URL'), source('away', 'AWAY_URL')],
      },
    },
    { version: 2 },
  );
});

afterAll(async () => {
  await node.stop();
  await Promise.all([database.drop(), other.drop()]);
});

const get = () => node.run('get_catalog_state', {}) as Promise<Record<string, unknown>>;
const set = (type: string, state: unknown) => node.run('set_catalog_state', { type, state });

async function recorded(on: TestDatabase): Promise<readonly (readonly (string | null)[])[]> {
  const text = 'select version, name, done, running from joinery.database_migrations where version > 0 order by 1';
  return (await on.database.query({ text, values: [] })).rows;
}

describe('get_catalog_state and set_catalog_state', () => {
  it('keep the state of each tool, with the id of the installation', async () => {
    const first = await get();
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), cli_state: {}, console_state: {} });
    expect(await set('console', { telemetryNotificationShown: true })).toEqual({ message: 'success' });
    expect(await set('cli', { settings: { migration_mode: 'true' }, isStateCopyCompleted: true })).toEqual({
      message: 'success',
    });
    expect(await get()).toEqual({
      id: first.id,
      cli_state: { settings: { migration_mode: 'true' }, isStateCopyCompleted: true },
      console_state: { telemetryNotificationShown: true },
    });
  });

  it('write the migrations of the state into the record of each source, and read them from there', async () => {
    const state = { migrations: { default: { '100': false, '200': true }, other: { '300': false } }, settings: {} };
    await set('cli', state);
    expect(await recorded(database)).toEqual([
      ['100', '', 't', 'f'],
      ['200', '', 'f', 't'],
    ]);
    expect(await recorded(other)).toEqual([['300', '', 't', 'f']]);
    expect((await get()).cli_state).toEqual(state);
    await other.database.query({
      text: `update joinery.database_migrations set name = 'three' where version = 300;
        insert into joinery.database_migrations (version, name) values (400, 'four')`,
      values: [],
    });
    expect((await get()).cli_state).toMatchObject({ migrations: { other: { '300': false, '400': false } } });
  });

  it('remove the versions that the state of a source lacks, and keep the names of the others', async () => {
    await set('cli', { migrations: { other: { '300': false } }, settings: {} });
    expect(await recorded(other)).toEqual([['300', 'three', 't', 'f']]);
    expect(await recorded(database)).toHaveLength(2);
    await set('cli', { settings: {} });
    expect(await recorded(other)).toHaveLength(1);
    await set('cli', { migrations: { other: {} }, settings: {} });
    expect(await recorded(other)).toEqual([]);
  });

  it('keep migrations of a source that the metadata does not have in the state alone', async () => {
    const { cli_state: before } = await get();
    const migrations = { ...(before as { migrations: object }).migrations, absent: { '1': false } };
    await set('cli', { migrations, settings: {} });
    expect((await get()).cli_state).toMatchObject({ migrations: { absent: { '1': false } } });
  });

  it('reject a change of the migrations of a source that is not reachable, and change nothing', async () => {
    const before = await get();
    const change = { migrations: { default: { '900': false }, away: { '1': false } } };
    expect(await node.rejection('set_catalog_state', { type: 'cli', state: change })).toMatchObject({
      code: 'busy',
      path: '$.args.state.migrations.away',
    });
    expect(await get()).toEqual(before);
    await set('cli', { migrations: { away: {} } });
  });

  it('do not change the version of the metadata', async () => {
    const { resource_version: before } = (await node.run('export_metadata', {}, { version: 2 })) as never;
    await set('cli', { settings: { a: 'b' } });
    expect(await node.run('export_metadata', {}, { version: 2 })).toMatchObject({ resource_version: before });
  });

  it.each([
    [{ type: 'server', state: {} }, '$.args.type'],
    [{ type: 'cli' }, '$.args.state'],
  ])('reject %j', async (args, path) => {
    expect(await node.rejection('set_catalog_state', args)).toMatchObject({ code: 'parse-failed', path });
  });
});

/**
 * Returns whether another transaction has the lock `awaited` while this one has `own`. It ends when the other has seen it too,
 * which the lock with the negated number shows.
 */
const meeting = `create function meet(own int, awaited int) returns boolean language plpgsql as $$
  declare
    seen boolean := false;
  begin
    perform pg_advisory_xact_lock(0, own);
    for attempt in 1..1000 loop
      perform from pg_locks where locktype = 'advisory' and objid = awaited and granted;
      if found and not seen then perform pg_advisory_xact_lock(1, own); end if;
      seen := seen or found;
      exit when seen and (not found or
        exists (select from pg_locks where locktype = 'advisory' and classid = 1 and objid = awaited));
      perform pg_sleep(0.01);
    end loop;
    return seen;
  end
$$`;

describe('concurrent_bulk', () => {
  const api = { api: 'query' } as const;
  const select = (text: string) => ({ type: 'run_sql', args: { sql: `select ${text} as x` } });

  it('runs commands at the same time, and returns their results in their order', async () => {
    await database.database.query({ text: meeting, values: [] });
    const meet = (own: number, awaited: number) => select(`meet(${own}, ${awaited})`);
    const results = await node.run('concurrent_bulk', [meet(71, 72), meet(72, 71), select('3')], api);
    expect(results).toEqual([
      { result_type: 'TuplesOk', result: [['x'], ['t']] },
      { result_type: 'TuplesOk', result: [['x'], ['t']] },
      { result_type: 'TuplesOk', result: [['x'], ['3']] },
    ]);
  });

  it('returns the error of a command with its position', async () => {
    expect(await node.rejection('concurrent_bulk', [select('1'), select('nothing')], api)).toMatchObject({
      code: 'postgres-error',
      path: '$.args[1].args',
    });
  });

  it.each([
    ['SQL that may change tracked tables', { type: 'run_sql', args: { sql: 'drop table a' } }],
    ['a bulk', { type: 'bulk', args: [] }],
  ])('rejects %s', async (_what, command) => {
    expect(await node.rejection('concurrent_bulk', [command], api)).toMatchObject({
      code: 'not-supported',
      path: '$.args[0]',
    });
  });

  it('is a command of /v2/query alone', async () => {
    expect(await node.rejection('concurrent_bulk', [], { api: 'metadata' })).toMatchObject({ code: 'parse-failed' });
  });
});

describe('run_sql', () => {
  it.each(['pg_run_sql', 'citus_run_sql', 'cockroach_run_sql'])('is also named %s', async (type) => {
    const result = await node.run(type, { sql: 'select 1 as one', source: 'other' }, { api: 'query' });
    expect(result).toEqual({ result_type: 'TuplesOk', result: [['one'], ['1']] });
  });
});

describe('list_source_kinds and get_source_kind_capabilities', () => {
  it('list the kinds that the service connects to', async () => {
    const { sources } = (await node.run('list_source_kinds', {})) as { sources: { kind: string; builtin: boolean }[] };
    expect(sources.map(({ kind }) => kind)).toEqual(['postgres', 'citus', 'cockroach', 'alloy']);
    expect(sources.every(({ builtin }) => builtin)).toBe(true);
  });

  it.each([
    ['postgres', 'not-supported'],
    ['sqlite', 'not-exists'],
  ])('reject the capabilities of %s with %s', async (name, code) => {
    expect(await node.rejection('get_source_kind_capabilities', { name })).toMatchObject({ code, path: '$.args.name' });
  });
});

describe('dump_internal_state', () => {
  it('returns the metadata, its inconsistencies and the usable tables', async () => {
    expect(await node.run('dump_internal_state', {})).toMatchObject({
      resource_version: expect.any(Number),
      metadata: { version: 3 },
      inconsistent_objects: [expect.objectContaining({ type: 'source' })],
      roles: expect.any(Array),
      sources: { default: { tables: [] } },
    });
  });
});
