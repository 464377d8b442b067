/** The statements of leases and claims, one by one. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Claim } from '../../../src/events/delivery/event-store.ts';
import { createLeaseStore, readClock, sweepLeases, takeLease } from '../../../src/events/leases/leases.ts';
import {
  claimEvents,
  fetchPayload,
  releaseEvents,
  releaseOthers,
  stillClaimed,
} from '../../../src/events/scheduled/claim.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
const query: Query = (statement) => db.database.query(statement);

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
});
afterAll(() => db?.drop());
beforeEach(async () => {
  await sql('delete from joinery.scheduled_events');
  await sql('delete from joinery.event_leases');
});

const sql = (text: string, ...values: unknown[]) => column(db.database, text, values);
const unnamed = () => undefined;
const claim: Claim = { aheadMs: 0, most: 10, exceptQueues: [] };
const claimIds = async (lease: string, more: Partial<Claim> = {}, from?: number) =>
  (await claimEvents(query, unnamed, lease, { ...claim, ...more }, from)).map(({ id }) => id).toSorted();

/** Inserts an event that is due after this many milliseconds, and returns its id. */
async function event(dueMs = -1_000, host = 'a'): Promise<string> {
  const [id = ''] = await sql(
    "insert into joinery.scheduled_events (webhook, schedule_at, payload) values ($1, now() + $2 * interval '1 ms', '{\"n\":1}') returning id",
    `http://${host}.test/`,
    dueMs,
  );
  return id;
}

const leaseOf = async (id: string) => (await sql('select lease from joinery.scheduled_events where id = $1', id))[0];
const expire = (lease: string) =>
  sql("update joinery.event_leases set expires_at = clock_timestamp() - interval '1 ms' where id = $1", lease);

test('a lease lasts the given time from when it is taken, and names its node', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const rows = await sql(
    `select concat_ws(' ', id, node, expires_at - clock_timestamp() between '59 s' and '60 s', draining)
     from joinery.event_leases`,
  );
  expect(rows).toEqual([`${lease} here t f`]);
});

test('the id of a lease is the time in microseconds', async () => {
  const [before = ''] = await sql('select (extract(epoch from clock_timestamp()) * 1000000)::bigint');
  const lease = await takeLease(query, 'here', 60_000);
  const [after = ''] = await sql('select (extract(epoch from clock_timestamp()) * 1000000)::bigint');
  expect(BigInt(lease) > BigInt(before) && BigInt(lease) < BigInt(after)).toBe(true);
});

test('leases of triggers are in another table', async () => {
  const source = await testDatabase({ source: true });
  try {
    const store = createLeaseStore((statement) => source.database.query(statement), 'triggers');
    const { id } = await store.take('here', 60_000);
    expect(await column(source.database, 'select id from joinery.source_leases')).toEqual([id]);
  } finally {
    await source.drop();
  }
});

test('a lease has the start of the server, which renewals return too', async () => {
  const store = createLeaseStore(query);
  const { id, server } = await store.take('here', 60_000);
  const [start] = await sql('select extract(epoch from pg_postmaster_start_time())');
  expect([server, (await store.renew([id], [], 60_000)).server]).toEqual([start, start]);
});

test('a renewal lasts from its own time, and reports the leases that exist', async () => {
  const store = createLeaseStore(query);
  const { id } = await store.take('here', 1);
  const { alive } = await store.renew([id, '7'], [], 60_000);
  const rows = await sql("select expires_at - clock_timestamp() between '59 s' and '60 s' from joinery.event_leases");
  expect([[...alive], rows]).toEqual([[id], ['t']]);
});

test('a renewal without a lease that exists reports no server', async () => {
  expect(await createLeaseStore(query).renew(['7'], [], 60_000)).toEqual({ alive: new Set(), server: undefined });
});

test('a renewal marks draining leases, which stay draining', async () => {
  const store = createLeaseStore(query);
  const [one, other] = [(await store.take('here', 60_000)).id, (await store.take('here', 60_000)).id];
  await store.renew([one, other], [one], 60_000);
  await store.renew([one, other], [], 60_000);
  expect(await sql('select draining from joinery.event_leases order by id')).toEqual(['t', 'f']);
});

test('a removed lease is gone, and claims under it stay', async () => {
  const store = createLeaseStore(query);
  const [{ id }, other] = [await store.take('here', 60_000), await store.take('here', 60_000)];
  const claimed = await event();
  await claimIds(id);
  await store.remove(id);
  expect([await sql('select id from joinery.event_leases'), await leaseOf(claimed)]).toEqual([[other.id], id]);
});

/** A query that returns these rows, which have these columns. */
const returning =
  (columns: readonly string[], ...rows: readonly (readonly (string | null)[])[]): Query =>
  async () =>
    ({ rows, fields: columns.map((name) => ({ name })) }) as never;

test.each([[[]], [[['7', null]]], [[[null, 'start']]]])('a lease has an id and a server, not %j', async (rows) => {
  const query = returning(['id', 'server'], ...rows);
  await expect(takeLease(query, 'here', 1)).rejects.toThrow('the database returned no id for a lease');
});

test('nothing is released where the statement returns no row', async () => {
  expect(await sweepLeases(returning(['released']))).toBe(0);
});

test('expired leases are removed, and events of missing leases released and counted', async () => {
  const [expired, valid] = [await takeLease(query, 'gone', 60_000), await takeLease(query, 'here', 60_000)];
  const lost = await event();
  await claimIds(expired);
  const kept = await event();
  await claimIds(valid);
  await expire(expired);
  await until('the server has run for longer than the start of nodes takes', async () => {
    const [isOver] = await sql("select clock_timestamp() > pg_postmaster_start_time() + interval '5 s'");
    return isOver === 't';
  });
  const released = await sweepLeases(query);
  const leases = await sql('select id from joinery.event_leases');
  expect([released, leases, await leaseOf(lost), await leaseOf(kept)]).toEqual([1, [valid], '', valid]);
});

test('the clock is that of the database, in milliseconds, advanced by development mode', async () => {
  const [now] = await sql('select extract(epoch from clock_timestamp()) * 1000');
  const reading = await readClock(query);
  expect([reading.aheadMs, Math.abs(reading.now - Number(now)) < 60_000]).toEqual([0, true]);
});

test('the clock includes the time by which it is ahead', async () => {
  const ahead = returning(['now', 'ahead_ms'], ['5000', '2000']);
  ({ rows: [['5000', '2000']], fields: [{ name: 'now' }, { name: 'ahead_ms' }] }) as never;
  expect(await readClock(ahead)).toEqual({ now: 5_000, aheadMs: 2_000 });
});

test('due events are claimed under the lease', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const [due] = [await event(), await event(60_000)];
  expect([await claimIds(lease), await leaseOf(due)]).toEqual([[due], lease]);
});

test('events are claimed ahead of time', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const [near] = [await event(5_000), await event(60_000)];
  expect(await claimIds(lease, { aheadMs: 10_000 })).toEqual([near]);
});

test('a claim has at most the given number, the earliest first', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const [, first, second] = [await event(-1_000), await event(-3_000), await event(-2_000)];
  expect(await claimIds(lease, { most: 2 })).toEqual([first, second].toSorted());
});

test.each([undefined, 5])('events of excluded queues are not claimed, with %s of each', async (mostEach) => {
  const lease = await takeLease(query, 'here', 60_000);
  const [excluded, other] = [await event(-1_000, 'a'), await event(-1_000, 'b')];
  const [queue = ''] = await sql('select lane from joinery.scheduled_events where id = $1', excluded);
  expect(await claimIds(lease, { exceptQueues: [queue], ...(mostEach !== undefined && { mostEach }) })).toEqual([
    other,
  ]);
});

test('a claim by lane has at most that many of each', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  for (const host of ['a', 'a', 'a', 'b']) await event(-1_000, host);
  const claimed = await claimEvents(query, unnamed, lease, { ...claim, mostEach: 2 });
  expect(claimed.map(({ webhook }) => webhook).toSorted()).toEqual([
    'http://a.test/',
    'http://a.test/',
    'http://b.test/',
  ]);
});

test.each([undefined, 5])('a claim skips events before its start, with %s of each', async (mostEach) => {
  const lease = await takeLease(query, 'here', 60_000);
  const [, later] = [await event(-600_000), await event(-1_000)];
  const more = mostEach === undefined ? {} : { mostEach };
  expect(await claimIds(lease, more, Date.now() - 300_000)).toEqual([later]);
});

test('nothing is claimed under a lease that has expired', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  await event();
  await expire(lease);
  expect(await claimIds(lease)).toEqual([]);
});

test('statements are named by their text', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const texts: string[] = [];
  const named = (text: string) => {
    texts.push(text);
    return undefined;
  };
  await claimEvents(query, named, lease, claim);
  await claimEvents(query, named, lease, { ...claim, mostEach: 1 });
  await stillClaimed(query, named, lease, []);
  expect(texts.map((text) => /joinery\.(\w+)\(/.exec(text)?.[1])).toEqual([
    'claim_events',
    'claim_events_by_lane',
    'confirm_events',
  ]);
});

test('a claim is confirmed while its lease is valid', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const [claimed, free] = [await event(), await event(60_000)];
  await claimIds(lease);
  expect(await stillClaimed(query, unnamed, lease, [claimed, free])).toEqual(new Set([claimed]));
});

test('a claim under an expired lease is not confirmed', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const claimed = await event();
  await claimIds(lease);
  await expire(lease);
  expect(await stillClaimed(query, unnamed, lease, [claimed])).toEqual(new Set());
});

test('released events are free, others of the lease are not', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const [one, other] = [await event(), await event()];
  await claimIds(lease);
  await releaseEvents(query, lease, [one]);
  expect([await leaseOf(one), await leaseOf(other)]).toEqual(['', lease]);
});

test('an event that another lease has claimed is not released', async () => {
  const [lease, other] = [await takeLease(query, 'here', 60_000), await takeLease(query, 'there', 60_000)];
  const claimed = await event();
  await claimIds(other);
  await releaseEvents(query, lease, [claimed]);
  expect(await leaseOf(claimed)).toBe(other);
});

test('the events of a lease that are not known are released', async () => {
  const [lease, other] = [await takeLease(query, 'here', 60_000), await takeLease(query, 'there', 60_000)];
  const elsewhere = await event();
  await claimIds(other);
  const [known, unknown] = [await event(), await event()];
  await claimIds(lease);
  await releaseOthers(query, lease, [known]);
  expect([await leaseOf(known), await leaseOf(unknown), await leaseOf(elsewhere)]).toEqual([lease, '', other]);
});

test('the payload of a claimed event is its JSON', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  const [claimed] = [await event(), await event()];
  await claimIds(lease);
  expect(await fetchPayload(query, lease, claimed)).toBe('{"n":1}');
});

test('an event that is claimed no more has no payload', async () => {
  const lease = await takeLease(query, 'here', 60_000);
  expect(await fetchPayload(query, lease, await event())).toBeUndefined();
});
