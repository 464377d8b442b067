/** The commands advance_clock and reset_clock of development mode, which shift the clock of events on all nodes. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, type Sink, startNode, startSink, type TestNode } from '../../support/events/delivery-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let service: TestServiceCore;
let sink: Sink;
let nodes: readonly TestNode[];

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  service = await startServiceCore(db, { devMode: true });
});
afterAll(async () => {
  await service.stop();
  await db.drop();
});
beforeEach(async () => {
  sink = await startSink();
  nodes = await Promise.all([startNode(db), startNode(db)]);
});
afterEach(async () => {
  await service.run('reset_clock');
  for (const node of nodes) await node.close();
  await sink.close();
});

const week = 7 * 86_400;

async function create(seconds: number, more: Record<string, unknown> = {}): Promise<string> {
  const schedule_at = new Date(Date.now() + seconds * 1_000).toISOString();
  const args = { webhook: sink.origin, schedule_at, payload: {}, ...more };
  return ((await service.run('create_scheduled_event', args)) as { event_id: string }).event_id;
}

interface Clock {
  readonly now: string;
  readonly ahead_seconds: number;
}

async function advance(seconds: number): Promise<Clock> {
  return (await service.run('advance_clock', { seconds })) as Clock;
}

test('advance_clock delivers events that are due by the new time once, and no later event', async () => {
  const first = await create(1 * week);
  // Shorter than the 60 s after its time, and longer than the interval of polls on a loaded machine.
  const second = await create(2 * week, { retry_conf: { tolerance_seconds: 30 } });
  const later = await create(3 * week);
  expect(await advance(2 * week + 60)).toMatchObject({ ahead_seconds: 2 * week + 60 });
  await until('both webhooks are called', () => sink.callsOf(first).length + sink.callsOf(second).length === 2);
  const processed = 'select status from joinery.processed_events where id = any ($1::uuid[])';
  await until(
    'both events are processed',
    async () => (await column(db.database, processed, [[first, second]])).length === 2,
  );
  expect(await column(db.database, processed, [[first, second]])).toEqual(['delivered', 'delivered']);
  expect(sink.calls).toHaveLength(2);
  expect(sink.callsOf(later)).toEqual([]);
  await advance(week);
  await until('the third webhook is called', () => sink.callsOf(later).length === 1);
});

test('advance_clock adds to earlier advances, and with 0 seconds only returns the time', async () => {
  await advance(100);
  const { now, ahead_seconds } = await advance(week);
  expect(ahead_seconds).toBe(week + 100);
  expect(Date.parse(now) - Date.now()).toBeGreaterThan((week + 90) * 1_000);
  expect((await advance(0)).ahead_seconds).toBe(week + 100);
  expect(await service.run('reset_clock')).toMatchObject({ ahead_seconds: 0 });
});

test('an event that is created after advance_clock waits for its time on the advanced clock', async () => {
  await advance(week);
  const dueEvent = await create(week - 1);
  const laterEvent = await create(week + 3_600);
  await until('the due event is called', () => sink.callsOf(dueEvent).length === 1);
  expect(sink.callsOf(laterEvent)).toEqual([]);
});

test('advance_clock starts retries whose interval has passed on the advanced clock', async () => {
  let attempts = 0;
  const failing = await startSink((_call, response) => {
    attempts += 1;
    response.statusCode = attempts === 1 ? 503 : 200;
    response.end();
  });
  const retry_conf = { num_retries: 1, retry_interval_seconds: 3_600 };
  const id = await create(60, { webhook: failing.origin, retry_conf });
  await advance(120);
  const waiting = 'select id from joinery.scheduled_events where id = $1 and next_retry_at is not null';
  await until('the first call has failed', async () => (await column(db.database, waiting, [id])).length === 1);
  await advance(3_600);
  await until('the webhook is called again', () => failing.callsOf(id).length === 2);
  await failing.close();
});

test('advance_clock delivers the due events of a cron trigger and plans the next', async () => {
  const trigger = { name: 'daily', webhook: sink.origin, schedule: '@daily', include_in_metadata: true };
  await service.run('create_cron_trigger', trigger);
  await advance(10 * 86_400);
  await until('ten events are delivered', () => sink.calls.length === 10);
  expect(new Set(sink.calls.map((call) => call.body.scheduled_time)).size).toBe(10);
  await advance(15 * 86_400);
  await until('25 events are delivered', () => sink.calls.length === 25);
  await service.run('delete_cron_trigger', { name: 'daily' });
});

test('advance_clock and reset_clock are rejected outside development mode', async () => {
  const production = await startServiceCore(db);
  for (const command of ['advance_clock', 'reset_clock']) {
    expect(await production.rejection(command, { seconds: 1 })).toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('JOINERY_DEV_MODE'),
    });
  }
  await production.stop();
});

test.each([-1, 'soon', 1e12])('advance_clock rejects %s seconds', async (seconds) => {
  expect(await service.rejection('advance_clock', { seconds })).toMatchObject({
    code: 'parse-failed',
    path: '$.args.seconds',
  });
});
