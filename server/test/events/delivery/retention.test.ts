/** What is processed and old goes, in small batches, and nothing else does. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Observation } from '../../../src/base/telemetry/observe.ts';
import { createRetentionTask, type Retention, type RetentionTask } from '../../../src/events/delivery/retention.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let upkeep: RetentionTask | undefined;
const observed: Observation[] = [];

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
});
afterEach(async () => {
  await upkeep?.stop();
  upkeep = undefined;
  await db.drop();
  expect(observed).toEqual([]);
});

function start(retention: Partial<Retention>): void {
  const { query } = db.database;
  const none = { eventDays: 0, logDays: 0, mostEvents: 0 };
  const observe = (observation: Observation): void => {
    observed.push(observation);
  };
  upkeep = createRetentionTask({ query, observe, retention: { ...none, ...retention }, everyMs: 20 });
  upkeep.start();
}

/** Processed events, an hour apart from now on backwards, each with two calls in its log. */
async function history(count: number): Promise<void> {
  await column(
    db.database,
    `with event as (
       insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries,
         retry_interval_seconds, timeout_seconds, tolerance_seconds, created_at, tries, status, processed_at)
       select gen_random_uuid(), 'http://example/', now(), to_json(n), '[]', 0, 0, 1, 1, now(), 1, 'delivered',
         now() - n * interval '1 hour' from generate_series(0, $1 - 1) n
       returning id, processed_at
     )
     insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, response, created_at)
     select id, attempt, '', processed_at, 1, '{}', processed_at from event, generate_series(1, 2) attempt`,
    [count],
  );
}

const count = async (table: string): Promise<number> =>
  Number((await column(db.database, `select count(*) from joinery.${table}`))[0]);

test('processed events go after so many days, with their logs, and pending ones stay however old', async () => {
  await history(3_000);
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, next_retry_at)
     values ('http://example/', now() - interval '1 year', now() + interval '1 year')`,
  );
  start({ eventDays: 10 });
  await until('the old ones are gone', async () => (await count('processed_events')) === 240);
  expect(await count('event_invocations')).toBe(480);
  expect(await count('scheduled_events')).toBe(1);
  const youngest = 'select max(payload::text::integer) from joinery.processed_events';
  expect(await column(db.database, youngest)).toEqual(['239']);
});

test('logs may go before their events', async () => {
  await history(3_000);
  start({ logDays: 5 });
  await until('the old ones are gone', async () => (await count('event_invocations')) === 240);
  expect(await count('processed_events')).toBe(3_000);
});

test('no more processed events are kept than asked for, the latest', async () => {
  await history(2_500);
  start({ mostEvents: 100 });
  await until('the surplus is gone', async () => (await count('processed_events')) === 100);
  expect(await count('event_invocations')).toBe(200);
  const oldest = 'select max(payload::text::integer) from joinery.processed_events';
  expect(await column(db.database, oldest)).toEqual(['99']);
});

test('without a limit nothing goes', async () => {
  await history(100);
  start({});
  const free = `select count(*) from joinery.scheduled_events where lease is null`;
  await column(
    db.database,
    "insert into joinery.scheduled_events (webhook, schedule_at, ordering_key, lease) values ('http://e/', now(), 'k', 0)",
  );
  await until('a round has mended the order of keys', async () => (await column(db.database, free))[0] === '1');
  expect(await count('processed_events')).toBe(100);
  expect(await count('event_invocations')).toBe(200);
});

test('events are delivered while others are removed', async () => {
  await history(20_000);
  const sink = await startSink();
  const node = await startNode(db);
  try {
    start({ eventDays: 1 });
    await column(
      db.database,
      `insert into joinery.scheduled_events (webhook, schedule_at)
       select $1, now() + n * interval '1 ms' from generate_series(1, 500) n`,
      [sink.origin],
    );
    await until('all are delivered', () => node.stats().delivered === 500);
    await until('the old ones are gone', async () => (await count('processed_events')) === 524);
    expect(sink.calls).toHaveLength(500);
  } finally {
    await node.close();
    await sink.close();
  }
});
