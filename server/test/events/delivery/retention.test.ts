/** Retention removes processed events and logs by age and number, in small batches. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Observation } from '../../../src/base/telemetry/observe.ts';
import { createRetentionTask, type Retention, type RetentionTask } from '../../../src/events/scheduled/retention.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let task: RetentionTask | undefined;
const observed: Observation[] = [];

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
});
afterEach(async () => {
  await task?.stop();
  task = undefined;
  await db.drop();
  expect(observed).toEqual([]);
});

function start(retention: Partial<Retention>): void {
  const { query } = db.database;
  const unlimited = { eventDays: 0, logDays: 0, mostEvents: 0 };
  const observe = (observation: Observation): void => {
    observed.push(observation);
  };
  task = createRetentionTask({ query, observe, retention: { ...unlimited, ...retention }, everyMs: 20 });
  void task.start();
}

/** Inserts processed events, the newest now and one hour apart, each with two logged calls. */
async function insertProcessed(count: number): Promise<void> {
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

test('removes processed events older than eventDays with their logs, and no pending event', async () => {
  await insertProcessed(3_000);
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, next_retry_at)
     values ('http://example/', now() - interval '1 year', now() + interval '1 year')`,
  );
  start({ eventDays: 10 });
  await until('the old rows are removed', async () => (await count('processed_events')) === 240);
  expect(await count('event_invocations')).toBe(480);
  expect(await count('scheduled_events')).toBe(1);
  const youngest = 'select max(payload::text::integer) from joinery.processed_events';
  expect(await column(db.database, youngest)).toEqual(['239']);
});

test('removes logs older than logDays and keeps their events', async () => {
  await insertProcessed(3_000);
  start({ logDays: 5 });
  await until('the old rows are removed', async () => (await count('event_invocations')) === 240);
  expect(await count('processed_events')).toBe(3_000);
});

test('keeps only the latest mostEvents processed events', async () => {
  await insertProcessed(2_500);
  start({ mostEvents: 100 });
  await until('the surplus events are removed', async () => (await count('processed_events')) === 100);
  expect(await count('event_invocations')).toBe(200);
  const oldest = 'select max(payload::text::integer) from joinery.processed_events';
  expect(await column(db.database, oldest)).toEqual(['99']);
});

test('removes nothing without a limit', async () => {
  await insertProcessed(100);
  start({});
  const free = `select count(*) from joinery.scheduled_events where lease is null`;
  await column(
    db.database,
    "insert into joinery.scheduled_events (webhook, schedule_at, ordering_key, lease) values ('http://e/', now(), 'k', 0)",
  );
  await until('a round has freed the blocked event', async () => (await column(db.database, free))[0] === '1');
  expect(await count('processed_events')).toBe(100);
  expect(await count('event_invocations')).toBe(200);
});

test('does not stop the delivery of events', async () => {
  await insertProcessed(20_000);
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
    await until('all events are delivered', () => node.stats().delivered === 500);
    await until('the old rows are removed', async () => (await count('processed_events')) === 524);
    expect(sink.calls).toHaveLength(500);
  } finally {
    await node.close();
    await sink.close();
  }
});
