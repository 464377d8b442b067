/** Rows that the statements of event delivery read: only by index, and few for any size of the tables. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseDefaults, sweepLeases, takeLease } from '../../../src/events/leases/leases.ts';
import { claimEvents, fetchPayload, releaseEvents, stillClaimed } from '../../../src/events/scheduled/claim.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';

const FUTURE = 10_000;
const CLAIMED = 5_000;
let db: TestDatabase;
let lease: string;

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  lease = await takeLease(db.database.query, 'test', leaseDefaults.lastsMs);
  await column(db.database, "update joinery.event_leases set expires_at = now() + interval '1 hour'");
  // Many future events with and without a key, many claimed, many blocked by one that waits for its retry, some due.
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, lease, next_retry_at, ordering_key, num_retries)
     select 'http://host' || n % 20 || '/', now() + interval '1 year', null::bigint, null::timestamptz,
       case when n % 2 = 0 then 'key ' || n % 1000 end, 1 from generate_series(1, ${FUTURE}) n
     union all select 'http://claimed/', now(), $1::bigint, null, null, 1 from generate_series(1, ${CLAIMED})
     union all select 'http://ordered/', now() - interval '1 day', null, now() + interval '1 day', 'stuck', 1
     union all select 'http://ordered/', now() - interval '1 hour', 0, null, 'stuck', 1 from generate_series(1, ${CLAIMED})
     union all select 'http://due/', now(), null, null, null, 1 from generate_series(1, 200)
     union all select 'http://due/', now(), null, null, 'due ' || n, 1 from generate_series(1, 200) n`,
    [lease],
  );
  await column(
    db.database,
    `insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries,
       retry_interval_seconds, timeout_seconds, tolerance_seconds, created_at, tries, status)
     select gen_random_uuid(), 'http://done/', now(), 'null', '[]', 0, 0, 1, 1, now(), 1, 'delivered'
     from generate_series(1, ${FUTURE})`,
  );
});
afterAll(() => db.drop());

class RolledBack extends Error {}

const tables = `(array['joinery.scheduled_events'::regclass, 'joinery.processed_events']
  || array(select relid from pg_partition_tree('joinery.event_invocations')))`;
const countersText = `select
    (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = any (${tables}))
      + (select sum(pg_stat_get_xact_tuples_returned(t)) from unnest(${tables}) t),
    (select sum(pg_stat_get_xact_numscans(t)) from unnest(${tables}) t)`;

/** Counts the rows that the work reads and its sequential scans. Rolls back its changes. */
async function readBy(work: (query: Query) => Promise<unknown>): Promise<{ rows: number; scans: number }> {
  let read = { rows: 0, scans: 0 };
  await db.database
    .transaction(async (query) => {
      const [before] = (await query({ text: countersText, values: [] })).rows;
      await work(query);
      const [after] = (await query({ text: countersText, values: [] })).rows;
      read = { rows: Number(after?.[0]) - Number(before?.[0]), scans: Number(after?.[1]) - Number(before?.[1]) };
      throw new RolledBack();
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return read;
}

const unnamed = (): undefined => undefined;
const inRange = { aheadMs: 0, most: 100, exceptQueues: [] };
const idsOf = (where: string): Promise<string[]> =>
  column(db.database, `select id from joinery.scheduled_events where ${where} limit 100`);

async function outcomes(ending: string): Promise<string> {
  const ids = await idsOf(`lease = ${lease}`);
  return JSON.stringify(
    ids.map((id) => ({ id, lease, attempt: 1, started_ms: 0, duration_ms: 1, code: 200, response: {} })),
  ).replaceAll('"attempt"', `${ending},"attempt"`);
}

// The tests run before and after the tables are analyzed.
for (const statistics of ['no', 'fresh']) {
  test.each<[string, number, (query: Query) => Promise<unknown>]>([
    ['a claim', 3_500, (query) => claimEvents(query, unnamed, lease, { aheadMs: 0, most: 100, exceptQueues: [] })],
    [
      'a claim by destination',
      4_000,
      (query) =>
        claimEvents(query, unnamed, lease, { aheadMs: 0, most: 100, mostEach: 50, exceptQueues: ['http://x'] }),
    ],
    ['a confirmation', 400, async (query) => stillClaimed(query, unnamed, lease, await idsOf(`lease = ${lease}`))],
    ['a release', 400, async (query) => releaseEvents(query, lease, await idsOf(`lease = ${lease}`))],
    ['a payload', 4, async (query) => fetchPayload(query, lease, (await idsOf(`lease = ${lease}`))[0] ?? '')],
    ['a sweep', 20, (query) => sweepLeases(query)],
    ...['"status":"delivered"', '"retry_ms":9999999999999,"keep":false'].map(
      (ending): [string, number, (query: Query) => Promise<unknown>] => [
        `a batch of outcomes, ${ending}`,
        600,
        async (query) =>
          query({ text: 'select joinery.settle_events($1, $2)', values: [await outcomes(ending), 'agent'] }),
      ],
    ),
    [
      'the deletion of an event that blocks others',
      10,
      async (query) => {
        const [first] = await idsOf("ordering_key = 'stuck' and lease is null");
        await query({ text: 'delete from joinery.scheduled_events where id = $1', values: [first] });
      },
    ],
  ])(`with ${statistics} statistics %s reads %i rows at most and scans no table`, async (_what, most, work) => {
    if (statistics === 'fresh') await column(db.database, 'analyze');
    const read = await readBy(work);
    expect(read.scans).toBe(0);
    expect(read.rows).toBeLessThanOrEqual(most);
  });
}

test('a claim from a due time reads no entries of events that were delivered while a transaction prevents vacuum', async () => {
  const { database } = db;
  const insert = (count: number, age: string): Promise<string[]> =>
    column(
      database,
      `insert into joinery.scheduled_events (webhook, schedule_at)
       select 'http://held/', now() - $2::interval from generate_series(1, $1) returning extract(epoch from due_at) * 1000`,
      [count, age],
    );
  await column(database, `delete from joinery.scheduled_events where due_at <= now() + interval '1 minute'`);
  await database.transaction(
    async (held) => {
      await held({ text: 'select count(*) from joinery.event_leases', values: [] });
      await insert(2_000, '2 minutes');
      await column(database, `delete from joinery.scheduled_events where webhook = 'http://held/'`);
      const [from] = await insert(50, '1 minute');
      const claim = (start?: number) => (query: Query) => claimEvents(query, unnamed, lease, inRange, start);
      const byQueue = (start?: number) => (query: Query) =>
        claimEvents(query, unnamed, lease, { ...inRange, mostEach: 100, exceptQueues: ['http://x'] }, start);
      for (const read of [claim, byQueue]) {
        expect((await readBy(read())).rows).toBeGreaterThan(2_000);
        expect((await readBy(read(Number(from)))).rows).toBeLessThan(1_000);
      }
    },
    { isolation: 'repeatable read' },
  );
});
