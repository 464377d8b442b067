/** What event triggers leave in databases: listed and removed, also in a database that no source uses any more. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { hasuraEventTables, hasuraTrigger } from '../../support/events/hasura-events.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';

let db: TestDatabase;
let other: TestDatabase;
let core: TestServiceCore;

beforeEach(async () => {
  [db, other] = await Promise.all([testDatabase({ migrated: true }), testDatabase()]);
  await sql('create table item (id int primary key, name text)');
  await sql('create table thing (id int primary key, name text)', other);
  core = await startServiceCore(db, { environment: { OTHER_URL: other.url } });
  await core.run('pg_track_table', { table: 'item' });
});
afterEach(async () => {
  await core.stop();
  await Promise.all([db.drop(), other.drop()]);
});

async function sql(text: string, { database } = db): Promise<(string | null)[][]> {
  return (await database.query({ text, values: [] })).rows.map((row) => [...row]);
}

const addOther = (): Promise<unknown> =>
  core.run('pg_add_source', {
    name: 'other',
    configuration: { connection_info: { database_url: { from_env: 'OTHER_URL' } } },
  });
const create = (name: string, source = 'default', table = 'item'): Promise<unknown> =>
  core.run('pg_create_event_trigger', {
    ...{ name, source, table, insert: { columns: '*' }, webhook: 'http://127.0.0.1:9' },
  });

interface Orphan {
  readonly kind: string;
  readonly name: string;
  readonly table?: { readonly name: string };
}

const orphans = async (args: object = {}): Promise<readonly Orphan[]> =>
  ((await core.run('get_event_orphans', args)) as { orphans: readonly Orphan[] }).orphans;
const removeOrphans = (names: readonly string[], args: object = {}): Promise<unknown> =>
  core.run('remove_event_orphans', { ...args, names });

/** Leaves the triggers of the source `other` in its database, as a service does that ends. */
async function leaveOther(): Promise<void> {
  await addOther();
  await core.run('pg_track_table', { table: 'thing', source: 'other' });
  await create('left', 'other', 'thing');
  const text = await sql('select metadata::text from joinery.metadata');
  await core.stop();
  const metadata = JSON.parse(text[0]?.[0] ?? '{}') as { sources: { name: string }[] };
  const rest = { ...metadata, sources: metadata.sources.filter(({ name }) => name !== 'other') };
  await db.database.query({ text: 'update joinery.metadata set metadata = $1', values: [JSON.stringify(rest)] });
  core = await startServiceCore(db, { environment: { OTHER_URL: other.url } });
}

const leftDatabase = { database_url: { from_env: 'OTHER_URL' } };

describe('get_event_orphans and remove_event_orphans', () => {
  test('list nothing for triggers of the metadata, and nothing in a database without triggers', async () => {
    expect(await orphans()).toEqual([]);
    await create('used');
    expect(await orphans()).toEqual([]);
    expect(await orphans(leftDatabase)).toEqual([]);
  });

  test('remove triggers that the metadata does not have, functions, tables and sequences, and no others', async () => {
    await create('used');
    await sql(`select joinery.add_trigger('gone', 'public', 'item', false)`);
    await sql(`create function joinery.joinery_77_insert() returns trigger language plpgsql as 'begin return null; end';
      create trigger joinery_77_insert after insert on item execute function joinery.joinery_77_insert();
      create table joinery.trigger_77_s1 (); create table joinery.trigger_77_log_s1 (); create sequence joinery.trigger_77_seq;
      create table joinery.trigger_report (); create function joinery.joinery_report() returns int language sql as 'select 1'`);
    const found = await orphans();
    expect(found.map(({ kind, name, table }) => [kind, name, table?.name])).toEqual([
      ['trigger', 'gone', 'item'],
      ['function', 'joinery_77_insert', 'item'],
      ['table', 'trigger_77_log_s1', undefined],
      ['table', 'trigger_77_s1', undefined],
      ['table', 'trigger_77_seq', undefined],
    ]);
    expect(await removeOrphans(found.map(({ name }) => name))).toEqual({ removed: found });
    expect(await orphans()).toEqual([]);
    await sql(`insert into item values (1, 'a')`);
    expect(await sql('select name from joinery.triggers')).toEqual([['used']]);
    expect(
      await sql(`select to_regclass('joinery.trigger_report') is not null, joinery.joinery_report()::text`),
    ).toEqual([['t', '1']]);
  });

  test('remove the schema from a database that no source uses any more', async () => {
    await leaveOther();
    const found = await orphans(leftDatabase);
    expect(found.map(({ kind, name }) => [kind, name])).toEqual([
      ['trigger', 'left'],
      ['schema', 'joinery'],
    ]);
    await removeOrphans(['left', 'joinery'], leftDatabase);
    expect(await sql(`select to_regnamespace('joinery')`, other)).toEqual([[null]]);
    await sql(`insert into thing values (1, 'a')`, other);
    expect(await orphans(leftDatabase)).toEqual([]);
  });

  test('remove only the tables and functions of event triggers from a schema with other tables', async () => {
    await leaveOther();
    await sql('create table joinery.database_migrations (version bigint)', other);
    await removeOrphans(['joinery'], leftDatabase);
    const rest = `select relname from pg_class where relnamespace = 'joinery'::regnamespace and relkind in ('r', 'S')
      union all select proname from pg_proc where pronamespace = 'joinery'::regnamespace`;
    expect(await sql(rest, other)).toEqual([['database_migrations']]);
    await sql(`insert into thing values (1, 'a')`, other);
  });

  test('leave the triggers of another service while one of its nodes runs', async () => {
    await leaveOther();
    await sql(
      `select joinery.add_trigger('foreign', 'public', 'item', false, 'another/default');
       insert into joinery.source_leases (node, expires_at) values ('a-node events', now() + interval '1 hour')`,
      other,
    );
    expect((await orphans(leftDatabase)).map(({ name }) => name)).toEqual(['left']);
    await sql('update joinery.source_leases set expires_at = now()', other);
    expect((await orphans(leftDatabase)).map(({ name }) => name)).toEqual(['foreign', 'left', 'joinery']);
  });

  test('list functions of Hasura v2 whose triggers the metadata does not have', async () => {
    await sql(
      `${hasuraEventTables}${hasuraTrigger('order_paid', 'item', ['UPDATE'])}${hasuraTrigger('used', 'item', ['INSERT'])}`,
    );
    await create('used');
    expect((await orphans()).map(({ kind, name }) => [kind, name])).toEqual([
      ['hasura_trigger', 'notify_hasura_order_paid_UPDATE'],
    ]);
    await removeOrphans(['notify_hasura_order_paid_UPDATE']);
    expect(await orphans()).toEqual([]);
  });

  // PgBouncer rejects startup parameters, by which this test connects as a role.
  const withoutPooler = test.skipIf(process.env.JOINERY_TEST_POOLER_ADDRESS);
  withoutPooler('reject the database of a source by a role that may not read the id of its cluster', async () => {
    await addOther();
    const role = `reader of ${new URL(other.url).pathname.slice(-8)}`;
    await sql(`revoke execute on function pg_control_system() from public; create role "${role}"`, other);
    const url = new URL(other.url);
    url.searchParams.set('options', `-c role=${role.replaceAll(' ', '\\ ')}`);
    expect(await core.rejection('get_event_orphans', { database_url: url.href })).toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('that of source "other"'),
    });
    await sql(`drop role "${role}"`, other);
  });

  test('reject the database of a source, an unknown name and two places', async () => {
    await leaveOther();
    expect(await core.rejection('remove_event_orphans', { ...leftDatabase, names: ['none'] })).toMatchObject({
      code: 'not-exists',
      path: '$.args.names[0]',
    });
    await addOther();
    expect(await core.rejection('get_event_orphans', leftDatabase)).toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('that of source "other"'),
    });
    expect(await core.rejection('get_event_orphans', { source: 'other', ...leftDatabase })).toMatchObject({
      code: 'parse-failed',
    });
  });
});
