/** The triggers in the databases of sources follow the metadata: whole or not at all. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';

let db: TestDatabase;
let other: TestDatabase;
let core: TestServiceCore;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  other = await testDatabase();
  for (const { database } of [db, other]) {
    await database.query({
      text: 'create table item (id int primary key, name text, price numeric); create table note (id int primary key, name text)',
      values: [],
    });
  }
  core = await startServiceCore(db, { environment: { OTHER_URL: other.url } });
  await core.run('pg_track_table', { table: 'item' });
  await core.run('pg_track_table', { table: 'note' });
});
afterEach(async () => {
  await core.stop();
  await db.drop();
  await other.drop();
});

const created = { name: 'item_changed', table: 'item', insert: { columns: '*' }, webhook: 'http://127.0.0.1/hook' };

async function column(database: Database, text: string): Promise<(string | null)[]> {
  return (await database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);
}

/** Returns the names of the capture triggers in the database, with their tables. */
const captures = ({ database }: TestDatabase): Promise<(string | null)[]> =>
  column(
    database,
    `select tgrelid::regclass || ' ' || tgname from pg_trigger where tgname like 'joinery\\_%' and not tgisinternal order by 1`,
  );

const change = async ({ database }: TestDatabase, text: string): Promise<void> => {
  await database.query({ text, values: [] });
};

/** Returns the operations and ids of the events of a trigger, in the order of the events. */
async function captured({ database }: TestDatabase, number = 1): Promise<(string | null)[]> {
  const segments = await column(
    database,
    `select segment::text from joinery.trigger_segments where number = ${number} order by segment`,
  );
  const events = segments.map(
    (segment) =>
      `select seq, op::text || coalesce(new ->> 'id', old ->> 'id') as event from joinery.trigger_${number}_s${segment}`,
  );
  return column(database, `select e.event from (${events.join(' union all ')}) e order by e.seq`);
}

describe('create_event_trigger', () => {
  test('installs the tables and captures changes from then on', async () => {
    await change(db, 'insert into item values (1)');
    await core.run('pg_create_event_trigger', { ...created, delete: { columns: '*' } });
    expect(await captures(db)).toEqual(['item joinery_1_delete', 'item joinery_1_insert']);
    await change(db, 'insert into item values (2); delete from item where id = 2');
    expect(await captured(db)).toEqual(['i2', 'd2']);
  });

  test('captures rows that match the condition', async () => {
    const when = { new: { name: { _in: ["it's", 'b\\c', 'say "x"'] }, price: { _gt: 1.5 } } };
    await core.run('pg_create_event_trigger', { ...created, when });
    await change(
      db,
      `insert into item values (1, 'it''s', 2), (2, 'it''s', 1), (3, E'b\\\\c', 2), (4, 'say "x"', 2), (5, 'no', 2), (6, null, 2)`,
    );
    expect(await captured(db)).toEqual(['i1', 'i3', 'i4']);
  });

  test('captures updates that match a condition on both rows', async () => {
    const when = { new: { price: { _cgt: ['$', 'old', 'price'] } } };
    await change(db, 'insert into item values (1, null, 5), (2, null, 5)');
    const { insert: _insert, ...rest } = created;
    const written = { ...rest, update: { columns: ['price'] } };
    const rejected = await core.rejection('pg_create_event_trigger', { ...written, when: { both: {} } });
    expect(rejected.path).toMatch(/^\$\.args/);
    expect(await captures(db)).toEqual([]);
    const result = await core.run('pg_create_event_trigger', { ...written, when }).then(
      () => 'created',
      (error: Error) => error.message,
    );
    expect(result).toBe('created');
    await change(db, 'update item set price = price + case id when 1 then 1 else -1 end');
    expect(await captured(db)).toEqual(['u1']);
  });

  test('makes nothing in the database where the metadata rejects it', async () => {
    await core.rejection('pg_create_event_trigger', { ...created, insert: { columns: '*', payload: ['absent'] } });
    expect(await column(db.database, `select to_regclass('joinery.triggers')::text`)).toEqual([null]);
  });

  test('makes nothing in the database and in the metadata where another edit of an atomic bulk fails', async () => {
    await core.rejection('bulk', [
      { type: 'pg_create_event_trigger', args: created },
      { type: 'pg_track_table', args: { table: 'absent' } },
    ]);
    expect(await captures(db)).toEqual([]);
    expect(await core.run('pg_create_event_trigger', created)).toMatchObject({ message: 'success' });
  });

  test('with enable_manual only makes no trigger on the table', async () => {
    const { insert: _insert, ...rest } = created;
    await core.run('pg_create_event_trigger', { ...rest, enable_manual: true });
    expect(await captures(db)).toEqual([]);
    expect(await column(db.database, 'select name from joinery.triggers')).toEqual(['item_changed']);
  });
});

describe('a change of a trigger', () => {
  beforeEach(() => core.run('pg_create_event_trigger', created));

  test('replaces its operations and keeps its events', async () => {
    await change(db, 'insert into item values (1)');
    const { insert: _insert, ...rest } = created;
    await core.run('pg_create_event_trigger', { ...rest, delete: { columns: '*' }, replace: true });
    await change(db, 'insert into item values (2); delete from item where id = 1');
    expect(await captured(db)).toEqual(['i1', 'd1']);
    expect(await captures(db)).toEqual(['item joinery_1_delete']);
  });

  test('of the webhook only does not change the functions', async () => {
    const functions = `select xmin::text from pg_proc where proname = 'joinery_1_insert'`;
    const before = await column(db.database, functions);
    await core.run('pg_create_event_trigger', { ...created, webhook: 'http://127.0.0.1/other', replace: true });
    expect(await column(db.database, functions)).toEqual(before);
  });

  test('to paused, and back, is stored in the source', async () => {
    const paused = () => column(db.database, 'select paused::text from joinery.triggers');
    await core.run('pause_event_trigger', { name: 'item_changed' });
    expect(await paused()).toEqual(['true']);
    await core.run('resume_event_trigger', { name: 'item_changed' });
    expect(await paused()).toEqual(['false']);
  });

  test('to another table by replace_metadata moves it with its events', async () => {
    await change(db, 'insert into item values (1)');
    const metadata = (await core.run('export_metadata')) as {
      sources: { tables: { table: { name: string }; event_triggers?: unknown }[] }[];
    };
    const [item, note] = ['item', 'note'].map((name) =>
      metadata.sources[0]?.tables.find(({ table }) => table.name === name),
    );
    if (item === undefined || note === undefined) throw new Error('a table is not tracked');
    note.event_triggers = item.event_triggers;
    delete item.event_triggers;
    await core.run('replace_metadata', metadata);
    await change(db, 'insert into item values (2); insert into note values (3)');
    expect(await captures(db)).toEqual(['note joinery_1_insert']);
    expect(await captured(db)).toEqual(['i1', 'i3']);
  });

  test('by its removal removes all that was made for it', async () => {
    await core.run('pg_delete_event_trigger', { name: 'item_changed' });
    expect(await captures(db)).toEqual([]);
    const left = `select relname from pg_class where relname like 'trigger\\_1\\_%'
      union all select proname from pg_proc where proname like 'joinery\\_1\\_%'`;
    expect(await column(db.database, left)).toEqual([]);
    await change(db, 'insert into item values (1)');
  });

  test('by untracking its table removes it', async () => {
    await core.run('pg_untrack_table', { table: 'item', cascade: true });
    expect(await captures(db)).toEqual([]);
  });
});

describe('a source of its own', () => {
  beforeEach(async () => {
    const configuration = { connection_info: { database_url: { from_env: 'OTHER_URL' } } };
    await core.run('pg_add_source', { name: 'second', configuration });
    await change(other, 'alter table item rename to article');
    await core.run('pg_track_table', { source: 'second', table: 'article' });
    await core.run('pg_create_event_trigger', { ...created, source: 'second', table: 'article' });
  });

  test('has the tables of its triggers in its database', async () => {
    await change(other, 'insert into article values (1)');
    expect(await captured(other)).toEqual(['i1']);
    expect(await captures(db)).toEqual([]);
  });

  test('has no triggers after it was dropped', async () => {
    await core.run('pg_drop_source', { name: 'second', cascade: true });
    expect(await captures(other)).toEqual([]);
    await change(other, 'insert into article values (1)');
  });
});
