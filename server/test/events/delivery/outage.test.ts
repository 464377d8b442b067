/** Delivery when the database is unreachable or a node is paused, and the rules of leases that protect it. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { takeLease } from '../../../src/events/leases/leases.ts';
import { claimEvents, stillClaimed } from '../../../src/events/scheduled/claim.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { type OutageOptions, runOutage } from './outage.ts';

vi.setConfig({ testTimeout: 180_000 });

/** An outage of one and a half lease durations. */
const outage = {
  nodes: 2,
  events: 2_000,
  spreadMs: 4_000,
  afterMs: 300,
  outageMs: 6_000,
  leaseMs: 4_000,
  responseMs: 20,
};
/** Expects that no event is missing, early or out of order, and that only calls in flight at the failure are repeated. */
async function expectDelivered(options: OutageOptions): Promise<void> {
  const { repeated, repeatedInFlight, ...report } = await runOutage(options);
  expect(report).toMatchObject({ missing: 0, early: 0, outOfOrder: 0, pending: 0 });
  expect(repeated).toBe(repeatedInFlight);
}

describe('two nodes', () => {
  test('repeat only calls in flight after a database outage longer than their leases', () =>
    expectDelivered({ ...outage, failure: 'outage', keys: 0 }));

  test('keep the order of keys during a database outage longer than their leases', () =>
    expectDelivered({ ...outage, events: 1_000, failure: 'outage', keys: 40 }));

  test('repeat only calls in flight after a node was paused for longer than its lease', () =>
    expectDelivered({ ...outage, outageMs: 8_000, failure: 'pause', keys: 0 }));
});

describe('a lease', () => {
  let db: TestDatabase;
  let id: string;
  beforeEach(async () => {
    db = await testDatabase({ migrated: true });
    const inserted = await column(
      db.database,
      "insert into joinery.scheduled_events (webhook, schedule_at) values ('http://localhost/', now()) returning id",
    );
    id = inserted[0] ?? '';
  });
  afterEach(() => db.drop());

  const claim = { aheadMs: 0, most: 10, exceptQueues: [] };
  const unnamed = (): undefined => undefined;

  test.each([
    ['expired', "expires_at = clock_timestamp() - interval '1 ms'"],
    ['draining', 'draining = true'],
  ])('that is %s claims no event and confirms none', async (_what, change) => {
    const { query } = db.database;
    const lease = await takeLease(query, 'test', 60_000);
    await column(db.database, `update joinery.event_leases set ${change}`);
    expect(await claimEvents(query, unnamed, lease, claim)).toEqual([]);
    expect(await claimEvents(query, unnamed, lease, { ...claim, mostEach: 5 })).toEqual([]);
    await column(db.database, 'update joinery.scheduled_events set lease = $1', [lease]);
    expect(await stillClaimed(query, unnamed, lease, [id])).toEqual(new Set());
  });

  test('that has expired accepts the outcome of a call unless another node has claimed the event', async () => {
    const { query } = db.database;
    const lease = await takeLease(query, 'test', 60_000);
    expect(await claimEvents(query, unnamed, lease, claim)).toHaveLength(1);
    await column(db.database, "update joinery.event_leases set expires_at = clock_timestamp() - interval '1 s'");
    const outcome = {
      id,
      lease,
      status: 'delivered',
      attempt: 1,
      started_ms: 0,
      duration_ms: 1,
      code: 200,
      response: {},
    };
    const text = 'select joinery.settle_events($1, $2)';
    expect(await column(db.database, text, [JSON.stringify([outcome]), 'agent'])).toEqual([]);
    expect(await column(db.database, 'select status from joinery.processed_events')).toEqual(['delivered']);
  });

  test('accepts the outcome of an attempt once, although the event stays claimed for the next attempt', async () => {
    const { query } = db.database;
    const lease = await takeLease(query, 'test', 60_000);
    await claimEvents(query, unnamed, lease, claim);
    const retry = {
      id,
      lease,
      retry_ms: 0,
      keep: true,
      attempt: 1,
      started_ms: 0,
      duration_ms: 1,
      code: 500,
      response: {},
    };
    const text = 'select joinery.settle_events($1, $2)';
    expect(await column(db.database, text, [JSON.stringify([retry]), 'agent'])).toEqual([]);
    expect(await column(db.database, text, [JSON.stringify([retry]), 'agent'])).toEqual([id]);
    expect(await column(db.database, 'select attempt from joinery.event_invocations')).toEqual(['1']);
  });
});
