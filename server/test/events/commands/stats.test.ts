/** The command get_scheduled_event_stats: counts of the backlog and statistics of calls. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { getScheduledEventStats } from '../../support/events/event-commands.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await testDatabase({
    migrated: true,
    sql: `
      insert into joinery.scheduled_events (webhook, schedule_at) values
        ('https://a', now() + interval '1 day'), ('https://a', now() - interval '60 s');
      insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries,
          retry_interval_seconds, timeout_seconds, tolerance_seconds, created_at, tries, status)
        select gen_random_uuid(), case when n <= 60 then 'https://busy.example/x' else 'http://other:8080/y?z' end,
          now() - interval '100 s', '1', '[]', 0, 10, 60, 100, now(), 1,
          case when n <= 90 then 'delivered' when n <= 99 then 'error' else 'dead' end
        from generate_series(1, 100) n;
      insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response)
        select id, 1, 'a', schedule_at + row_number() over (order by webhook) * interval '1 ms',
          case when status = 'dead' then 0 else 20 end, case status when 'delivered' then 200 when 'error' then 503 end,
          '{}'
        from joinery.processed_events;`,
  });
});
afterAll(() => db.drop());

test('get_scheduled_event_stats returns the backlog, and the calls in total and by destination', async () => {
  const stats = await getScheduledEventStats(db.database.query, { window_seconds: 600 });
  expect(stats).toMatchObject({
    backlog: { pending: 2, due: 1, in_flight: 0 },
    window_seconds: 600,
    calls: { count: 99, delivered: 90, failed: 9, per_second: 99 / 600, duration_ms: { p50: 20, max: 20 } },
    destinations: [
      { destination: 'https://busy.example', count: 60, delivered: 60, failed: 0 },
      { destination: 'http://other:8080', count: 39, delivered: 30, failed: 9 },
    ],
  });
  expect(stats.backlog.oldest_due_seconds).toBeGreaterThanOrEqual(60);
  const { p50 = 0, p99 = 0, max = 0 } = stats.calls.lateness_ms ?? {};
  expect(p50).toBeGreaterThan(40);
  expect(p50).toBeLessThan(p99);
  expect(max).toBeLessThanOrEqual(100);
});

test('get_scheduled_event_stats returns zero calls and null durations for a window without calls', async () => {
  await db.database.query({
    text: `update joinery.event_invocations set created_at = now() - interval '1 hour'`,
    values: [],
  });
  expect(await getScheduledEventStats(db.database.query, undefined)).toMatchObject({
    window_seconds: 300,
    calls: { count: 0, per_second: 0, lateness_ms: null, duration_ms: null },
    destinations: [],
  });
});

test('get_scheduled_event_stats rejects a window of 0 seconds', async () => {
  const attempt = getScheduledEventStats(db.database.query, { window_seconds: 0 });
  await expect(attempt).rejects.toBeInstanceOf(ServiceError);
});
