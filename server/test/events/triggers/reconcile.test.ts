/** The triggers in the databases become those of the metadata, whatever happened to them meanwhile. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { migrateSource } from '../../../src/postgres/migrations/sources.ts';
import { removeTriggerTables } from '../../../src/service/event-triggers/reconcile.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let other: TestDatabase;
let core: TestServiceCore;
const cores: TestServiceCore[] = [];

const tables = `create table item (id int primary key, name text, price numeric);
  create table note (id int primary key, name text)`;

beforeEach(async () => {
  db = await testDatabase({ migrated: true, sql: tables });
  other = await testDatabase({ sql: tables });
  core = await start();
  await core.run('pg_track_table', { table: 'item' });
});
afterEach(async () => {
  for (const one of cores.splice(0)) await one.stop();
  await db.drop();
  await other.drop();
});

async function start(store = db, reconcileMs = 50): Promise<TestServiceCore> {
  const environment = { OTHER_URL: other.url, SAME_URL: db.url };
  const started = await startServiceCore(store, { environment, reconcileMs });
  cores.push(started);
  return started;
}

const created = { name: 'item_changed', table: 'item', insert: { columns: '*' }, webhook: 'http://127.0.0.1/hook' };

async function column(database: Database, text: string): Promise<(string | null)[]> {
  return (await database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);
}
const run = async ({ database }: Pick<TestDatabase, 'database'>, text: string): Promise<void> => {
  await database.query({ text, values: [] });
};
const captures = ({ database }: Pick<TestDatabase, 'database'>): Promise<(string | null)[]> =>
  column(
    database,
    `select tgrelid::regclass || ' ' || tgname from pg_trigger where tgname like 'joinery\\_%' and not tgisinternal order by 1`,
  );
/** Objects of event triggers, also those of the schema. */
const made = ({ database }: TestDatabase): Promise<(string | null)[]> =>
  column(
    database,
    `select relname::text from pg_class where relnamespace = to_regnamespace('joinery') and relname ~ '^(trigger|source_)'
      union all select proname from pg_proc where pronamespace = to_regnamespace('joinery') and proname ~ 'trigger|source_'
      union all select nspname from pg_namespace where nspname = 'joinery' and to_regclass('joinery.metadata') is null`,
  );

const withUrl = (variable: string) => ({
  configuration: { connection_info: { database_url: { from_env: variable } } },
  customization: { type_names: { prefix: 'other_' }, root_fields: { namespace: 'other' } },
});
const addOther = (name: string, variable: string): Promise<unknown> =>
  core.run('pg_add_source', { name, ...withUrl(variable) });
/** Returns an expression on the events of the first trigger, in all its segments. */
async function captured(expression: string): Promise<(string | null)[]> {
  const segments = await column(
    db.database,
    'select segment from joinery.trigger_segments where number = 1 order by 1',
  );
  const events = segments.map((segment) => `select * from joinery.trigger_1_s${segment}`).join(' union all ');
  return column(db.database, `select ${expression} from (${events}) e order by e.seq`);
}

const consistency = async (
  service = core,
): Promise<{ is_consistent: boolean; inconsistent_objects: { reason: string; path: string }[] }> =>
  (await service.run('get_inconsistent_metadata')) as {
    is_consistent: boolean;
    inconsistent_objects: { reason: string; path: string }[];
  };

describe('triggers in the database', () => {
  beforeEach(() => core.run('pg_create_event_trigger', created));

  test('that were dropped without the service are created again', async () => {
    await run(db, 'drop trigger joinery_1_insert on item');
    await until('the trigger is back', async () => (await captures(db)).length === 1);
    await run(db, 'drop function joinery.joinery_1_insert() cascade');
    await until('the trigger is back', async () => (await captures(db)).length === 1);
    await run(db, `insert into item values (1, 'a', 2)`);
    expect(await column(db.database, `select new ->> 'id' from joinery.trigger_1_s1`)).toEqual(['1']);
  });

  test('are removed at the start of the service where the metadata does not have them', async () => {
    await core.stop();
    cores.splice(0);
    await run(
      db,
      `update joinery.metadata set metadata = (metadata::jsonb #- '{metadata,sources,0,tables,0,event_triggers}'
        #- '{sources,0,tables,0,event_triggers}')::json, updated_at = clock_timestamp()`,
    );
    core = await start();
    await until('nothing is left', async () => (await made(db)).length === 0);
    expect(await captures(db)).toEqual([]);
  });

  test('follow a table that was changed without the service', async () => {
    await core.run('pg_create_event_trigger', {
      ...created,
      insert: { columns: '*', payload: ['id', 'price'] },
      replace: true,
    });
    const hash = (): Promise<(string | null)[]> => column(db.database, 'select definition_hash from joinery.triggers');
    const before = await hash();
    await run(db, `alter table item drop column price; alter table item add price text`);
    await run(db, `insert into item values (1, 'a', 'b')`);
    // Unless the trigger follows already: a second mark would be delayed as a repair in vain.
    await run(db, `update joinery.triggers set outdated_at = now() where definition_hash = '${before[0]}'`);
    const outdated = (): Promise<(string | null)[]> =>
      column(db.database, 'select outdated_at::text from joinery.triggers');
    await until('the trigger follows', async () => (await outdated())[0] === null && (await hash())[0] !== before[0]);
    await run(db, `insert into item values (2, 'a', 'b')`);
    expect(await captured('op::text || new::text')).toEqual(['i{"id":1,"price":"b"}', 'i{"id":2,"price":"b"}']);
  });

  test('of a table that lost a column are inconsistent with the path of the column, and do not affect writes', async () => {
    const payload = ['id', 'price'];
    await core.run('pg_create_event_trigger', { ...created, insert: { columns: '*', payload }, replace: true });
    await run(db, 'alter table item drop column price');
    await run(db, `insert into item values (1, 'a')`);
    await run(db, 'update joinery.triggers set outdated_at = now()');
    // The reconciliation may find the missing column before the catalog is read again; its error has the path of the trigger.
    await until('the trigger is inconsistent with the path of the column', async () => {
      const [first] = (await consistency()).inconsistent_objects;
      return first?.path === '$.sources[0].tables[0].event_triggers[0].definition.insert.payload[1]';
    });
    await run(db, `insert into item values (2, 'a')`);
    expect(await captured('op::text')).toEqual(['I', 'I']);
  });

  test('are created again by reload_metadata with recreate_event_triggers', async () => {
    const version = (): Promise<(string | null)[]> =>
      column(db.database, `select xmin::text from pg_proc where proname = 'joinery_1_insert'`);
    const before = await version();
    await core.run('reload_metadata', { reload_sources: true });
    expect(await version()).toEqual(before);
    await core.run('reload_metadata', { recreate_event_triggers: ['default'] });
    expect(await version()).not.toEqual(before);
    const unknown = await core.rejection('reload_metadata', { recreate_event_triggers: ['absent'] });
    expect(unknown).toMatchObject({ code: 'not-exists', path: '$.args.recreate_event_triggers[0]' });
  });

  test('that are right do not lock their tables', async () => {
    await db.database.transaction(async (query) => {
      await query({ text: 'lock table item in access exclusive mode', values: [] });
      const second = await start();
      await core.run('pause_event_trigger', { name: 'item_changed' });
      expect((await consistency(second)).is_consistent).toBe(true);
    });
  });

  test('are not changed by a node whose metadata is older', async () => {
    const second = await start();
    for (let round = 0; round < 5; round += 1) {
      await core.run('pg_create_event_trigger', { ...created, name: `round_${round}` });
      await until('the other node knows the trigger', async () => {
        return second.model().sources.get(DEFAULT_SOURCE)?.eventTriggers?.has(`round_${round}`) === true;
      });
      await second.run('pg_delete_event_trigger', { name: `round_${round}` });
      await until('the first node knows the removal', async () => {
        return core.model().sources.get(DEFAULT_SOURCE)?.eventTriggers?.size === 1;
      });
      expect(await captures(db)).toEqual(['item joinery_1_insert']);
    }
  });
});

describe('removal', () => {
  test('of the last trigger removes all that was created, and not the store', async () => {
    await core.run('pg_create_event_trigger', created);
    await run(db, `insert into item values (1, 'a', 2)`);
    await core.run('pg_delete_event_trigger', { name: 'item_changed' });
    expect(await made(db)).toEqual([]);
    await core.run('pg_create_event_trigger', created);
    expect(await captures(db)).toEqual(['item joinery_1_insert']);
  });

  test.each([
    ['pg_drop_source', { name: 'second', cascade: true }],
    ['clear_metadata', {}],
    ['pg_untrack_table', { source: 'second', table: 'item', cascade: true }],
  ])('by %s leaves neither the triggers nor the schema', async (command, args) => {
    await addOther('second', 'OTHER_URL');
    await core.run('pg_track_table', { source: 'second', table: 'item' });
    await core.run('pg_create_event_trigger', { ...created, source: 'second' });
    expect(await captures(other)).toEqual(['item joinery_1_insert']);
    await core.run(command, args);
    expect(await captures(other)).toEqual([]);
    expect(await made(other)).toEqual([]);
  });
});

describe('several owners of one database', () => {
  test('two sources with one database have triggers of equal names', async () => {
    await addOther('second', 'SAME_URL');
    await core.run('bulk_atomic', [
      { type: 'pg_track_table', args: { source: 'second', table: 'item' } },
      { type: 'pg_create_event_trigger', args: created },
      { type: 'pg_create_event_trigger', args: { ...created, source: 'second' } },
    ]);
    expect(await captures(db)).toEqual(['item joinery_1_insert', 'item joinery_2_insert']);
    await core.run('rename_source', { name: 'second', new_name: 'third' });
    expect(await captures(db)).toEqual(['item joinery_1_insert', 'item joinery_2_insert']);
    await core.run('pg_delete_event_trigger', { source: 'third', name: 'item_changed' });
    expect(await captures(db)).toEqual(['item joinery_1_insert']);
    await core.run('pg_delete_event_trigger', { name: 'item_changed' });
    expect(await made(db)).toEqual([]);
  });

  test('two services with one database do not remove the triggers of each other', async () => {
    const store = await testDatabase({ migrated: true, sql: tables });
    // Databases of tests are copies of one.
    await run(store, 'update joinery.catalog_state set installation_id = gen_random_uuid()');
    const second = await startServiceCore(store, { environment: { OTHER_URL: other.url }, reconcileMs: 50 });
    try {
      for (const service of [core, second]) {
        await service.run('pg_add_source', {
          name: 'shared',
          ...withUrl('OTHER_URL'),
        });
        await service.run('pg_track_table', { source: 'shared', table: 'item' });
        await service.run('pg_create_event_trigger', { ...created, source: 'shared' });
      }
      expect(await captures(other)).toEqual(['item joinery_1_insert', 'item joinery_2_insert']);
      await core.run('pg_drop_source', { name: 'shared', cascade: true });
      expect(await captures(other)).toEqual(['item joinery_2_insert']);
    } finally {
      await second.stop();
      await store.drop();
    }
  });
});

test('a source that cannot commit undoes the change, and the next comparison that of the other source', async () => {
  await addOther('second', 'OTHER_URL');
  await core.run('pg_track_table', { source: 'second', table: 'item' });
  await core.run('pg_create_event_trigger', { ...created, name: 'first', source: 'second' });
  await run(
    other,
    `create function reject() returns trigger language plpgsql as $$ begin raise exception 'no commit'; end $$;
      create constraint trigger reject after insert on joinery.triggers deferrable initially deferred
        for each row execute function reject()`,
  );
  const error = await core.rejection('bulk_atomic', [
    { type: 'pg_create_event_trigger', args: created },
    { type: 'pg_create_event_trigger', args: { ...created, source: 'second' } },
  ]);
  expect(error.code).toBe('unexpected');
  expect(await captures(other)).toEqual(['item joinery_1_insert']);
  await until('the first source is repaired', async () => (await captures(db)).length === 0);
});

test('run_sql with cascade drops a trigger that names a dropped column, in the metadata and the database', async () => {
  const insert = { columns: '*', payload: ['id', 'price'] };
  await core.run('pg_create_event_trigger', { ...created, insert });
  const sql = 'alter table item drop column price';
  expect(await core.rejection('run_sql', { sql })).toMatchObject({ code: 'dependency-error' });
  expect(await captures(db)).toEqual(['item joinery_1_insert']);
  await core.run('run_sql', { sql, cascade: true });
  expect(await captures(db)).toEqual([]);
  await run(db, `insert into item values (1, 'a')`);
});

describe('a table that another transaction locks', () => {
  test.each([
    ['pg_create_event_trigger', { ...created, name: 'second' }],
    ['pg_delete_event_trigger', { name: 'item_changed' }],
  ])('makes %s fail with concurrent-update and the name of the table, and changes nothing', async (command, args) => {
    await core.run('pg_create_event_trigger', created);
    await db.database.transaction(async (query) => {
      await query({ text: 'lock table item in row exclusive mode', values: [] });
      const error = await core.rejection(command, args);
      expect(error).toMatchObject({ code: 'concurrent-update', status: 409 });
      expect(error.message).toContain('another transaction locks the table "public"."item"');
    });
    expect(await captures(db)).toEqual(['item joinery_1_insert']);
    await core.run(command, args);
  });
});

test('a repair that waits for a source does not lock the metadata', async () => {
  await addOther('second', 'OTHER_URL');
  await core.run('pg_track_table', { source: 'second', table: 'item' });
  await core.run('pg_create_event_trigger', { ...created, source: 'second' });
  await run(
    other,
    `create table gate (); create function wait() returns trigger language plpgsql as $$
       begin
         while not exists (select from public.gate) loop perform pg_sleep(0.02); end loop;
         return new;
       end $$;
     create trigger wait before update of definition_hash on joinery.triggers for each row execute function wait();
     drop trigger joinery_1_insert on item`,
  );
  const waiting = `select 1::text from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  await until('the repair waits', async () => (await column(other.database, waiting)).length > 0);
  await core.run('pg_create_event_trigger', created);
  expect(await captures(other)).toEqual([]);
  await run(other, 'insert into gate default values');
  await until('the trigger is created again', async () => (await captures(other)).length === 1);
});

test('a reload waits for a node that removes the tables of event triggers, and needs them no more', async () => {
  await core.stop();
  cores.splice(0);
  const reloading = await start(db, 3_600_000);
  await migrateSource(db.database);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let reload: Promise<unknown> = Promise.resolve();
  await db.database.transaction(async (query) => {
    await query({ text: 'select from joinery.metadata for update', values: [] });
    await removeTriggerTables(query);
    reload = reloading.run('reload_metadata');
    await until('the reload waits', async () => (await column(db.database, waiting)).length > 0);
  });
  expect(await reload).toMatchObject({ is_consistent: true });
});
