/** Migrations of a database with pending, claimed and processed events of an earlier version. */
import { afterEach, expect, test } from 'vitest';
import { migrate, readMigrations } from '../../../src/postgres/migrations/migrate.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;

afterEach(() => db.drop());

/** The version before the checks of pending events were merged. */
const EARLIER = 11;

test('an upgrade keeps all events, which a node of this version delivers, lists and retries', async () => {
  db = await testDatabase();
  const { numbered } = readMigrations();
  await migrate(db.database, { numbered: numbered.slice(0, EARLIER), functions: [] });
  const sink = await startSink();
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, payload, ordering_key, lease, tries, num_retries, next_retry_at)
     values ($1, now(), '"free"', null, null, 0, 0, null), ($1, now(), '"retried"', null, null, 1, 3, now()),
       ($1, now(), '"claimed by a dead node"', null, 4711, 0, 0, null), ($1, now(), '"first of its key"', 'k', null, 0, 0, null),
       ($1, now() + interval '1 ms', '"second of its key"', 'k', 0, 0, 0, null),
       ($1, now() + interval '1 year', '"later"', null, null, 0, 0, null)`,
    [sink.origin],
  );
  await column(
    db.database,
    `with event as (
       insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
         timeout_seconds, tolerance_seconds, created_at, tries, status)
       select gen_random_uuid(), 'http://done/', now(), 'null', '[]', 0, 0, 1, 1, now(), 1, status
       from unnest(array['delivered', 'error', 'dead', 'cancelled']) status returning id
     )
     insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, response)
     select id, 1, 'joinery/0.1.0', now(), 3, '{}' from event`,
  );
  await migrate(db.database);
  const node = await startNode(db, { leaseTimes: { lastsMs: 400, renewEveryMs: 100 } });
  await until('all due events are called', () => sink.calls.length === 5);
  await until('all outcomes are written', () => node.stats().delivered === 5);
  expect(sink.calls.map((call) => call.body.payload).sort()).toEqual([
    ...['claimed by a dead node', 'first of its key', 'free', 'retried', 'second of its key'],
  ]);
  expect(await column(db.database, 'select payload from joinery.scheduled_events')).toEqual(['"later"']);
  const statuses = `select status || ' ' || count(*) from joinery.processed_events group by status order by status`;
  expect(await column(db.database, statuses)).toEqual(['cancelled 1', 'dead 1', 'delivered 6', 'error 1']);
  expect(await column(db.database, 'select count(*) from joinery.event_invocations')).toEqual(['9']);
  await node.close();
  await sink.close();
});
