/** Nodes that know metadata which a failover has lost, and whose version other metadata has by now. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStore } from '../../src/service/metadata/store.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let nodes: TestServiceCore[] = [];

beforeEach(async () => {
  const sql = ['t0', 't1', 't2'].map((name) => `create table ${name} (id int primary key);`).join('');
  database = await testDatabase({ migrated: true, sql });
});

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  nodes = [];
  await database.drop();
});

async function start(): Promise<TestServiceCore> {
  const node = await startServiceCore(database, { sync: 'none' });
  nodes.push(node);
  return node;
}

/** Restores the metadata after `change`, as a failover that loses its commit. */
async function losing(change: () => Promise<unknown>): Promise<void> {
  await database.database.query({ text: 'create table kept as select * from joinery.metadata', values: [] });
  await change();
  const text = `delete from joinery.metadata; insert into joinery.metadata select * from kept;
    delete from joinery.cron_plans; delete from joinery.scheduled_events`;
  await database.database.query({ text, values: [] });
}

const cron = (name: string) => ({
  name,
  webhook: 'http://127.0.0.1:9/',
  schedule: '0 0 1 1 *',
  include_in_metadata: true,
});

test('a change by a node with lost metadata is applied to the later metadata of the same version', async () => {
  const [stale, other] = [await start(), await start()];
  await losing(() => stale.run('track_table', 't0'));
  await other.run('track_table', 't1');
  await stale.run('track_table', 't2');
  const { metadata, version } = await createStore(database.database).load();
  expect({ version, tables: metadata.sources[0]?.tables.map(({ table }) => table.name) }).toEqual({
    version: 3,
    tables: ['t1', 't2'],
  });
});

test('a node with lost metadata does not plan its cron triggers in place of those of the same version', async () => {
  const [stale, other] = [await start(), await start()];
  await losing(() => stale.run('create_cron_trigger', cron('lost')));
  await other.run('create_cron_trigger', cron('present'));
  await stale.service.planCronTriggers();
  const text = 'select distinct trigger_name from joinery.scheduled_events order by 1';
  expect((await database.database.query({ text, values: [] })).rows).toEqual([['present']]);
});
