/** Events are called as the present metadata defines their triggers, also where the tables of event triggers were created again. */
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Delivery } from '../../../src/events/delivery/delivery.ts';
import type { EventStore } from '../../../src/events/delivery/event-store.ts';
import type { StoredTriggerEvent } from '../../../src/events/triggers/batches.ts';
import type { Model } from '../../../src/model/model.ts';
import { createTriggerDeliveries, type TriggerDeliveries } from '../../../src/service/event-triggers/deliveries.ts';
import { triggerOwner } from '../../../src/service/event-triggers/owner.ts';
import { connect, type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let core: TestServiceCore;
let deliveries: TriggerDeliveries;
/** The model that the node delivers with. */
let model: Model;
let store: EventStore<StoredTriggerEvent>;

const queries = [{ name: 'count', query: 'query count { item { id } }' }];
const wanted = { aheadMs: 0, most: 10, exceptQueues: [] };
const lastsMs = 600_000;

beforeEach(async () => {
  db = await testDatabase({ migrated: true, sql: 'create table item (id int primary key)' });
  core = await startServiceCore(db);
  await core.run('pg_track_table', { table: 'item' });
  await core.run('create_query_collection', { name: 'shop', definition: { queries } });
});
afterEach(async () => {
  await deliveries.stop({ drainMs: 0 });
  await core.stop();
  await db.drop();
});

const create = (name: string): Promise<unknown> => {
  const target = { operation: { collection: 'shop', name: 'count', role: 'admin' } };
  return core.run('pg_create_event_trigger', { name, table: 'item', insert: { columns: '*' }, target });
};
const insert = (id: number): Promise<unknown> =>
  db.database.query({ text: `insert into item values (${id})`, values: [] });
const replace = (metadata: object): Promise<unknown> =>
  core.run('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 });

/** Starts the deliveries of a node without an engine: the test claims. */
async function deliver(): Promise<void> {
  model = core.model();
  let opened: EventStore<StoredTriggerEvent> | undefined;
  const engine: Delivery = {
    start: async () => undefined,
    stop: async () => undefined,
    stats: () => {
      throw new Error('the engine has no statistics');
    },
  };
  deliveries = createTriggerDeliveries({
    model: () => model,
    urlOf: (source) => (source === DEFAULT_SOURCE ? db.url : undefined),
    ownerOf: (source) => triggerOwner(db.database, source),
    open: (_source, url) => connect(url),
    deliver: (given) => {
      opened = given;
      return engine;
    },
    observe: () => undefined,
    retentionDays: 0,
  });
  await deliveries.start();
  store = await until('the engine is created', () => opened);
}

test('an event of a trigger whose operation was removed is neither claimed nor called until the operation exists again', async () => {
  await create('kept');
  // The deliveries of the source continue for this trigger.
  const other = { webhook: 'http://127.0.0.1:9/', delete: { columns: '*' } };
  await core.run('pg_create_event_trigger', { name: 'other', table: 'item', ...other });
  const metadata = (await core.run('export_metadata')) as object;
  await deliver();
  const { id: lease } = await store.leases.take('node', lastsMs);
  await insert(1);
  const [claimed] = await store.claim(lease, wanted);
  await replace({ ...metadata, query_collections: [] });
  await insert(2);
  model = core.model();
  expect(await store.claim(lease, wanted)).toEqual([]);
  expect(claimed && store.mayCall?.(claimed)).toBe(false);
  await store.releaseOthers(lease, []);
  await replace(metadata);
  model = core.model();
  const events = await store.claim(lease, wanted);
  expect(events.map(({ trigger }) => trigger.name)).toEqual(['kept', 'kept']);
  expect(events.every((event) => store.mayCall?.(event))).toBe(true);
});

test('an event is not claimed as the event of a removed trigger that had its number', async () => {
  await create('first');
  await deliver();
  await store.leases.take('node', lastsMs);
  // A change by another node, which this node has not loaded yet.
  await core.run('pg_delete_event_trigger', { name: 'first' });
  await create('second');
  await insert(1);
  const { id: lease } = await store.leases.take('node', lastsMs);
  expect(await store.claim(lease, wanted)).toEqual([]);
  model = core.model();
  expect((await store.claim(lease, wanted)).map(({ trigger }) => trigger.name)).toEqual(['second']);
});

test('an outcome is not written to the event that has its numbers in tables that were created again', async () => {
  await create('first');
  await deliver();
  const { id: former } = await store.leases.take('node', lastsMs);
  await insert(1);
  const [called] = await store.claim(former, wanted);
  if (called === undefined) throw new Error('no event was claimed');
  await core.run('pg_delete_event_trigger', { name: 'first' });
  await create('first');
  await insert(2);
  model = core.model();
  const { id: lease } = await store.leases.take('node', lastsMs);
  const [event] = await store.claim(lease, wanted);
  if (event === undefined) throw new Error('no event was claimed again');
  expect(event.changes[0]).toMatchObject({ number: called.changes[0]?.number, seq: called.changes[0]?.seq });
  const outcome = store.printOutcome(
    {
      event: called,
      lease: former,
      outcome: { kind: 'delivered' },
      claimedAt: 0,
      keep: false,
      attempt: { startedAt: Date.now(), durationMs: 1, status: 200, response: '{}' },
      done: () => undefined,
    },
    'whole',
  );
  expect(await store.settle([outcome], 'test')).toEqual(new Set([called.id]));
  expect(await store.confirm(lease, [event])).toEqual(new Set([event.id]));
});
