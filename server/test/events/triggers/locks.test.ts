/** Changes of triggers lock tables of users, then the stored triggers, so that neither writers nor deliveries wait in a circle. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let core: TestServiceCore;

const trigger = { name: 'item_changed', table: 'item', insert: { columns: '*' }, webhook: 'http://127.0.0.1/hook' };
const second = { ...trigger, name: 'note_changed', table: 'note' };

beforeEach(async () => {
  db = await testDatabase({
    migrated: true,
    sql: 'create table item (id int primary key); create table note (id int primary key)',
  });
  core = await startServiceCore(db, { reconcileMs: 50 });
  for (const table of ['item', 'note']) await core.run('pg_track_table', { table });
  await core.run('pg_create_event_trigger', trigger);
});
afterEach(async () => {
  await core.stop();
  await db.drop();
});

async function column(text: string): Promise<(string | null)[]> {
  return (await db.database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);
}

const captures = (): Promise<(string | null)[]> =>
  column(`select tgname::text from pg_trigger where tgname like 'joinery\\_%' and not tgisinternal order by 1`);

/** Waits until a session waits for a lock of the type. */
const waiting = (type: string): Promise<unknown> =>
  until(`a session waits for a lock of type ${type}`, async () => {
    const found = await column(
      `select 1::text from pg_locks l join pg_database d on d.oid = l.database
        where not l.granted and l.locktype = '${type}' and d.datname = current_database()`,
    );
    return found.length > 0;
  });

/** Runs a command that has to wait for the lock of `statement`, and `meanwhile` in the transaction of the lock. */
async function whileWaiting(
  statement: string,
  type: string,
  [command, args]: Parameters<TestServiceCore['run']>,
  meanwhile: (query: Query) => Promise<void>,
): Promise<void> {
  let change: Promise<unknown> | undefined;
  await db.database.transaction(async (query) => {
    await query({ text: statement, values: [] });
    change = core.run(command, args);
    await waiting(type);
    await meanwhile(query);
  });
  // A slow machine may let the change wait for too long.
  await Promise.allSettled([change]);
}

test.each([
  ['pg_create_event_trigger', { ...second, name: 'other', table: 'item' }],
  ['pg_delete_event_trigger', { name: 'item_changed' }],
])('claims do not wait while %s waits for a table', (...command) =>
  whileWaiting('lock table item in row exclusive mode', 'relation', command, async () => {
    expect(await column('select pg_try_advisory_xact_lock_shared(1785687922, 1)::text')).toEqual(['true']);
    expect(await column('select number::text from joinery.triggers for update nowait')).toEqual(['1']);
  }),
);

test.each([
  ['pg_create_event_trigger', second],
  ['pg_delete_event_trigger', { name: 'item_changed' }],
  ['pause_event_trigger', { name: 'item_changed' }],
])('%s locks no stored trigger while an outcome is written', (...command) =>
  whileWaiting('select pg_advisory_xact_lock_shared(1785687922, 1)', 'advisory', command, async (query) => {
    // As an outcome of ordered events does.
    const { rows } = await query({ text: 'select number::text from joinery.triggers for share nowait', values: [] });
    expect(rows).toEqual([['1']]);
  }),
);

test('replace_metadata stores a trigger whose table is locked, and it is created after the lock', async () => {
  await core.run('pg_create_event_trigger', second);
  const metadata = await core.run('export_metadata');
  await core.run('pg_delete_event_trigger', { name: 'note_changed' });
  const inconsistent = await db.database.transaction(async (query) => {
    await query({ text: 'lock table note in row exclusive mode', values: [] });
    return core.run('replace_metadata', { metadata, allow_inconsistent_metadata: false });
  });
  expect(inconsistent).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [
      { type: 'event_trigger', reason: expect.stringContaining('locks the table "public"."note"') },
    ],
  });
  await until('the trigger is created', async () => (await captures()).length === 2);
  await until('the metadata is consistent', async () => {
    return ((await core.run('get_inconsistent_metadata')) as { is_consistent: boolean }).is_consistent;
  });
});

test('a trigger whose functions fail after each repair is inconsistent, and repaired again later', async () => {
  const outdate = (): Promise<unknown> => column('update joinery.triggers set outdated_at = clock_timestamp()');
  const repaired = (): Promise<unknown> =>
    until(
      'the trigger is repaired',
      async () => (await column('select outdated_at::text from joinery.triggers'))[0] === null,
    );
  const reason = async (): Promise<string | undefined> => {
    const found = (await core.run('get_inconsistent_metadata')) as { inconsistent_objects: { reason: string }[] };
    return found.inconsistent_objects[0]?.reason;
  };
  await outdate();
  await repaired();
  expect(await reason()).toBeUndefined();
  // Each repair is followed by another failure, as of a condition that fails for each row.
  await until('the trigger is inconsistent', async () => {
    await outdate();
    return (await reason())?.includes('fails for changed rows') === true;
  });
  await repaired();
  // Another definition is repaired at once.
  await core.run('pg_create_event_trigger', { ...trigger, insert: { columns: '*', payload: ['id'] }, replace: true });
  await until('the metadata is consistent', async () => (await reason()) === undefined);
});
