/** The partitions of the log of calls: created ahead by any node, dropped by days, and never required by an outcome. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteScheduledEvent } from '../../../src/events/commands/change.ts';
import { dropLogPartition, openLogDays, readLogPartitions } from '../../../src/events/scheduled/log-days.ts';
import { createRetentionTask, type Retention } from '../../../src/events/scheduled/retention.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { connect, type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { getScheduledEventInvocations } from '../../support/events/event-commands.ts';
import { until } from '../../support/until.ts';

const ids = {
  old: '00000000-0000-4000-8000-000000000001',
  recent: '00000000-0000-4000-8000-000000000002',
  present: '00000000-0000-4000-8000-000000000003',
  limit: '00000000-0000-4000-8000-000000000004',
};

let db: TestDatabase;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
});
afterEach(() => db.drop());

/** The UTC day so many days from now, as names of partitions have it. */
const dayName = (days: number): Promise<string[]> =>
  column(db.database, `select to_char(now() at time zone 'UTC' + $1 * interval '1 day', 'YYYYMMDD')`, [days]);

const partitions = (): Promise<string[]> =>
  column(db.database, `select replace(name, 'event_invocations_', '') from joinery.log_partitions() order by name`);

const named = async (...days: readonly number[]): Promise<string[]> => [
  ...(await Promise.all(days.map(dayName))).flat(),
  'default',
];

/** Creates the partition of a day. */
async function addDay(days: number): Promise<void> {
  await column(
    db.database,
    `do $$ declare day date := (now() at time zone 'UTC')::date + ${days}; begin
       execute format('create table joinery.event_invocations_%s (like joinery.event_invocations_default including all)',
         to_char(day, 'YYYYMMDD'));
       execute format('alter table joinery.event_invocations attach partition joinery.event_invocations_%s
         for values from (%L) to (%L)', to_char(day, 'YYYYMMDD'), day || 'Z', day + 1 || 'Z');
     end $$`,
  );
}

/** Inserts processed events that were created and called so many days ago. */
async function insertProcessed(events: readonly (readonly [id: string, days: number])[]): Promise<void> {
  await column(
    db.database,
    `with event as (
       insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
         timeout_seconds, tolerance_seconds, created_at, tries, status, processed_at)
       select id, 'http://example/', at, 'null', '[]', 0, 0, 1, 1, at, 1, 'delivered', at
       from unnest($1::uuid[], $2::int[]) e (id, days), lateral (select now() - days * interval '1 day' as at) time
       returning id, processed_at
     )
     insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response, created_at)
     select id, attempt, '', processed_at, 1, 200, '{}', processed_at from event, generate_series(1, 2) attempt`,
    [events.map(([id]) => id), events.map(([, days]) => days)],
  );
}

const logged = (): Promise<string[]> =>
  column(db.database, 'select distinct right(event_id::text, 1) from joinery.event_invocations order by 1');

/** Runs a round of retention. */
async function retain(retention: Partial<Retention>, done: () => Promise<boolean>): Promise<void> {
  const failures: unknown[] = [];
  const task = createRetentionTask({
    query: db.database.query,
    observe: (observation) => failures.push(observation),
    retention: { eventDays: 0, logDays: 0, mostEvents: 0, ...retention },
    everyMs: 20,
  });
  await task.start();
  await until('the round has ended', done);
  await task.stop();
  expect(failures).toEqual([]);
}

test('a new database has the partitions of two days, and a start of delivery adds the next two', async () => {
  expect(await partitions()).toEqual(await named(0, 1));
  await openLogDays(db.database.query);
  expect(await partitions()).toEqual(await named(0, 1, 2, 3));
});

test('nodes that create partitions at the same time, while outcomes are written and read, create each once', async () => {
  for (const days of [0, 1]) await column(db.database, `drop table joinery.event_invocations_${await dayName(days)}`);
  const nodes = Array.from({ length: 6 }, () => connect(db.url, 1));
  let writing = true;
  const clients = [0, 1, 2].map(async (n) => {
    while (writing) {
      await insertProcessed([[ids.old.replace(/.$/, String(n)), 40]]).catch((error) => {
        if (!String(error).includes('duplicate key')) throw error;
      });
      await column(db.database, 'select count(*) from joinery.event_invocations');
    }
  });
  await Promise.all(nodes.map((node) => openLogDays(node.query)));
  await until('all days have a partition', async () => {
    await openLogDays(db.database.query);
    return (await partitions()).length === 5;
  });
  writing = false;
  await Promise.all(clients);
  await Promise.all(nodes.map((node) => node.close()));
  expect(await partitions()).toEqual(await named(0, 1, 2, 3));
});

test('calls of a day without a partition are logged and listed, and the day gets no partition while they are there', async () => {
  for (const days of [0, 1]) await column(db.database, `drop table joinery.event_invocations_${await dayName(days)}`);
  const sink = await startSink();
  const node = await startNode(db);
  const [id = ''] = await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at) values ($1, now()) returning id`,
    [sink.origin],
  );
  await until('the outcome is written', () => node.stats().delivered === 1);
  await node.close();
  await sink.close();
  await openLogDays(db.database.query);
  expect(await partitions()).toEqual(await named(1, 2, 3));
  const listed = await getScheduledEventInvocations(db.database.query, { type: 'one_off', event_id: id });
  expect(listed.invocations).toHaveLength(1);
});

test('outcomes are written and logged where no partition can be created', async () => {
  for (const days of [0, 1]) await column(db.database, `drop table joinery.event_invocations_${await dayName(days)}`);
  // As with a role that may not create tables.
  const sql = `create or replace function joinery.open_log_days(ahead integer) returns boolean language plpgsql as
    $$ begin raise insufficient_privilege; end $$`;
  await column(db.database, sql);
  const failures: unknown[] = [];
  const task = createRetentionTask({
    query: db.database.query,
    observe: (observation) => failures.push(observation),
    retention: { eventDays: 0, logDays: 0, mostEvents: 0 },
  });
  await task.start();
  await task.stop();
  expect(failures).toEqual([expect.objectContaining({ kind: 'failure', where: 'partitions of the log of calls' })]);
  const sink = await startSink();
  const node = await startNode(db);
  await column(
    db.database,
    'insert into joinery.scheduled_events (webhook, schedule_at) select $1, now() from generate_series(1, 50)',
    [sink.origin],
  );
  await until('the outcomes are written', () => node.stats().delivered === 50);
  await node.close();
  await sink.close();
  expect(await column(db.database, 'select count(*) from joinery.event_invocations_default')).toEqual(['50']);
});

test('a day is dropped when all its calls are older than logDays, and its events stay', async () => {
  for (const days of [-12, -11, -10, -9]) await addDay(days);
  await insertProcessed([
    [ids.old, 12],
    // Older than the limit by a moment, on a day that is not.
    [ids.limit, 10],
    [ids.recent, 9],
    [ids.present, 0],
  ]);
  await retain({ logDays: 10 }, async () => (await partitions()).length === 7);
  expect(await logged()).toEqual(['2', '3', '4']);
  expect((await partitions()).slice(0, 2)).toEqual((await named(-10, -9)).slice(0, 2));
  expect(await column(db.database, 'select count(*) from joinery.processed_events')).toEqual(['4']);
});

test('logs without a partition of their day are deleted by rows', async () => {
  await insertProcessed([
    [ids.old, 12],
    [ids.recent, 9],
  ]);
  await retain({ logDays: 10 }, async () => (await logged()).join() === '2');
  expect(await partitions()).toContain('default');
});

test('without logDays a day lasts as long as it has calls', async () => {
  for (const days of [-12, -9]) await addDay(days);
  await insertProcessed([
    [ids.old, 12],
    [ids.recent, 9],
  ]);
  await retain({ eventDays: 10 }, async () => (await partitions()).length === 6);
  expect(await logged()).toEqual(['2']);
  expect(await partitions()).toEqual(await named(-9, 0, 1, 2, 3));
});

test.each<[string, Partial<Retention>]>([
  ['eventDays', { eventDays: 10 }],
  ['mostEvents', { mostEvents: 2 }],
])('%s deletes events with their calls of all days', async (_which, retention) => {
  for (const days of [-12, -11]) await addDay(days);
  await insertProcessed([
    [ids.old, 12],
    [ids.recent, 9],
    [ids.present, 0],
  ]);
  // A retry of the next day.
  await column(
    db.database,
    `with later as (
       update joinery.processed_events set processed_at = processed_at + interval '1 day' where id = $1 returning id, processed_at
     )
     insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, response, created_at)
     select id, 3, '', now(), 1, '{}', processed_at from later`,
    [ids.old],
  );
  await retain(retention, async () => (await logged()).join() === '2,3');
});

test('a deleted event leaves no calls on any day', async () => {
  for (const days of [-12, -11]) await addDay(days);
  await insertProcessed([
    [ids.old, 12],
    [ids.recent, 11],
  ]);
  await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: ids.old });
  expect(await logged()).toEqual(['2']);
});

test.each<[string, string]>([
  ['a reader of the log', 'select count(*) from joinery.event_invocations'],
  ['a reader of the day', 'select count(*) from joinery.event_invocations_old'],
  [
    'the writer of an outcome',
    `insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, response)
     values ('00000000-0000-4000-8000-000000000009', 1, '', now(), 1, '{}')`,
  ],
])(
  'the drop of a day neither waits for %s nor delays other statements, and is done later',
  async (_whom, statement) => {
    await addDay(-12);
    const [day = ''] = await dayName(-12);
    await insertProcessed([[ids.old, 12]]);
    const text = statement.replace('old', day);
    const { query } = db.database;
    const expired = async (): Promise<readonly string[]> =>
      (await readLogPartitions(query, 10)).filter(({ isExpired }) => isExpired).map(({ name }) => name);
    expect(await expired()).toEqual([`event_invocations_${day}`]);
    const drop = async (on: Query): Promise<void> => {
      for (const partition of await readLogPartitions(on, 10))
        if (partition.isExpired) await dropLogPartition(on, partition);
    };
    await db.database.transaction(async (held) => {
      await held({ text, values: [] });
      // Nothing waits: neither the drop nor the statements beside it have a lock that is not granted.
      let dropping = true;
      const dropped = drop(query).finally(() => {
        dropping = false;
      });
      const waiting: string[] = [];
      while (dropping) {
        waiting.push(
          ...(await column(
            db.database,
            `select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )),
        );
        await insertProcessed([[ids.present, 0]]).catch((error) => {
          if (!String(error).includes('duplicate key')) throw error;
        });
      }
      await dropped;
      expect(waiting).toEqual([]);
      expect(await expired()).toEqual([`event_invocations_${day}`]);
    });
    await until('the day is dropped', async () => {
      await drop(query);
      return (await expired()).length === 0;
    });
    expect(await logged()).not.toContain('1');
  },
);

test('nodes that drop a day at the same time drop it once', async () => {
  await addDay(-12);
  await insertProcessed([[ids.old, 12]]);
  const nodes = Array.from({ length: 5 }, () => connect(db.url, 1));
  await Promise.all(
    nodes.map(async ({ query }) => {
      for (const one of await readLogPartitions(query, 10)) if (one.isExpired) await dropLogPartition(query, one);
    }),
  );
  await Promise.all(nodes.map((node) => node.close()));
  expect(await partitions()).toEqual(await named(0, 1));
});

test('a publication for all tables rejects no deletion of calls', async () => {
  await addDay(-12);
  await insertProcessed([
    [ids.old, 12],
    [ids.recent, 5],
  ]);
  await column(db.database, 'create publication everything for all tables');
  await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id: ids.old });
  await retain({ eventDays: 1 }, async () => (await logged()).length === 0);
});
