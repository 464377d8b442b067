/** The event triggers of a source in the database that it had before a change of its URL. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProxy } from '../../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let store: TestDatabase;
let former: TestDatabase;
let present: TestDatabase;
let core: TestServiceCore;

const tables = 'create table item (id int primary key)';

beforeEach(async () => {
  [store, former, present] = await Promise.all([
    testDatabase({ migrated: true }),
    testDatabase({ sql: tables }),
    testDatabase({ sql: tables }),
  ]);
});
afterEach(async () => {
  await core.stop();
  for (const database of [store, former, present]) await database.drop();
});

const configuration = (variable: string) => ({ connection_info: { database_url: { from_env: variable } } });

/** Creates a source with a trigger in its former database. */
async function start(formerUrl: string): Promise<void> {
  const environment = { FORMER_URL: formerUrl, PRESENT_URL: present.url };
  core = await startServiceCore(store, { environment, reconcileMs: 50 });
  await core.run('pg_add_source', { name: 'shop', configuration: configuration('FORMER_URL') });
  await core.run('pg_track_table', { source: 'shop', table: 'item' });
  await core.run('pg_create_event_trigger', {
    ...{ source: 'shop', name: 'item_changed', table: 'item' },
    ...{ insert: { columns: '*' }, webhook: 'http://127.0.0.1/hook' },
  });
}

const move = (): Promise<unknown> =>
  core.run('pg_update_source', { name: 'shop', configuration: configuration('PRESENT_URL') });

async function column({ database }: TestDatabase, text: string): Promise<(string | null)[]> {
  return (await database.query({ text, values: [] })).rows.map(([cell]) => cell ?? null);
}

const captures = (database: TestDatabase): Promise<(string | null)[]> =>
  column(
    database,
    `select tgname::text from pg_trigger where tgname like 'joinery\\_%' and not tgisinternal order by 1`,
  );
const stored = (database: TestDatabase): Promise<(string | null)[]> =>
  column(database, `select nspname::text from pg_namespace where nspname = 'joinery'`);

const movedToPresent = (): Promise<unknown> =>
  until('the trigger is in the new database', async () => (await captures(present)).length === 1);

test('is left without triggers, and without a warning where no events are pending', async () => {
  await start(former.url);
  expect(await move()).toEqual({ message: 'success' });
  expect([await captures(former), await stored(former)]).toEqual([[], []]);
  await movedToPresent();
});

test('loses pending events, whose number the command returns', async () => {
  await start(former.url);
  await column(former, 'insert into item values (1), (2), (3)');
  expect(await move()).toEqual({
    message: 'success',
    warnings: [
      {
        message: 'the event triggers of source "shop" were removed from its former database with 3 pending events',
        ...{ type: 'source', name: 'source shop', code: 'events-removed', path: '$.sources[1].configuration' },
      },
    ],
  });
  expect([await captures(former), await stored(former)]).toEqual([[], []]);
});

test('keeps triggers and events where a node of another installation uses it', async () => {
  await start(former.url);
  await column(former, 'insert into item values (1)');
  await column(
    former,
    `insert into joinery.source_leases (node, expires_at) values ('another', clock_timestamp() + interval '1 hour')`,
  );
  expect(await move()).toMatchObject({
    warnings: [
      {
        code: 'events-remain',
        message: expect.stringContaining('another installation uses it. They have 1 pending event;'),
      },
    ],
  });
  expect(await captures(former)).toEqual(['joinery_1_insert']);
  expect(await column(former, 'select count(*)::text from joinery.trigger_1_s1')).toEqual(['1']);
  await movedToPresent();
});

test('that is not reachable does not prevent the change, and the warning names the command for the rest', async () => {
  const proxy = await startProxy(former.url);
  await start(proxy.url);
  await proxy.close();
  expect(await move()).toMatchObject({
    message: 'success',
    warnings: [
      {
        code: 'events-remain',
        message: expect.stringMatching(
          /^event triggers of source "shop" remain in its former database: .*joinery doctor --orphans/,
        ),
      },
    ],
  });
  expect(await captures(former)).toEqual(['joinery_1_insert']);
  await movedToPresent();
  expect(core.observations).toContainEqual(
    expect.objectContaining({ kind: 'note', level: 'warn', where: 'event triggers' }),
  );
});
