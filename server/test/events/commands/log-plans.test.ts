/** The days of the log of calls that statements read, by the plans of PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteScheduledEvent } from '../../../src/events/commands/change.ts';
import { createRetentionTask } from '../../../src/events/scheduled/retention.ts';
import type { Query, QueryRun } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { getScheduledEventInvocations, getScheduledEventStats } from '../../support/events/event-commands.ts';
import { until } from '../../support/until.ts';

const DAYS = 30;
const EACH = 2_000;
let db: TestDatabase;

beforeAll(async () => {
  db = await testDatabase({
    migrated: true,
    sql: `
      do $$ begin
        for back in 1..${DAYS} loop
          execute format('create table joinery.event_invocations_day_%s (like joinery.event_invocations_default including all)', back);
          execute format('alter table joinery.event_invocations attach partition joinery.event_invocations_day_%s
            for values from (%L) to (%L)', back, (now() at time zone 'UTC')::date - back || 'Z', (now() at time zone 'UTC')::date - back + 1 || 'Z');
        end loop;
      end $$;
      insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
          timeout_seconds, tolerance_seconds, created_at, tries, status, processed_at)
        select md5(back || ' ' || n)::uuid, 'http://example/', at, 'null', '[]', 0, 0, 1, 1, at, 1, 'delivered', at
        from generate_series(0, ${DAYS}) back, generate_series(1, ${EACH}) n,
          lateral (select now() - back * interval '1 day' as at) time;
      insert into joinery.event_keys (key, digest, event_id) select 'day ' || back, '', md5(back || ' 1')::uuid from generate_series(0, ${DAYS}) back;
      insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response, created_at)
        select id, 1, '', processed_at, 1, case when n % 40 = 0 then 500 else 200 end, '{}', processed_at
        from (select *, row_number() over () as n from joinery.processed_events) e;
      analyze;`,
  });
});
afterAll(() => db.drop());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Read {
  /** Partitions of which a statement reads anything. */
  readonly days: number;
  readonly rows: number;
  /** Partitions that are read without an index. */
  readonly scanned: readonly string[];
}

class RolledBack extends Error {}

/** Returns what the statements of the work read from the log. They change nothing. */
async function readBy(work: (query: Query) => Promise<unknown>): Promise<Read> {
  const runs: QueryRun[] = [];
  await db.database
    .transaction(async (query) => {
      await work((run, options) => {
        if (run.text.includes('event_invocations')) runs.push(run);
        return query(run, options);
      });
      throw new RolledBack();
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  const nodes: Plan[] = [];
  const collect = (plan: Plan): void => {
    if (plan['Relation Name']?.startsWith('event_invocations_') && plan['Actual Loops'] > 0) nodes.push(plan);
    for (const child of plan.Plans ?? []) collect(child);
  };
  for (const run of runs.filter(({ text }) => !text.startsWith('explain'))) {
    await db.database
      .transaction(async (query) => {
        const { rows } = await query({ text: `explain (analyze, format json) ${run.text}`, values: run.values });
        collect((JSON.parse(rows[0]?.[0] ?? '') as [{ Plan: Plan }])[0].Plan);
        throw new RolledBack();
      })
      .catch((error) => {
        if (!(error instanceof RolledBack)) throw error;
      });
  }
  const filled = nodes.filter((one) => !/_(default|\d{8})$/.test(one['Relation Name'] ?? ''));
  return {
    days: new Set(nodes.map((one) => one['Relation Name'])).size,
    rows: nodes.reduce(
      (sum, one) => sum + (one['Actual Rows'] + (one['Rows Removed by Filter'] ?? 0)) * one['Actual Loops'],
      0,
    ),
    scanned: filled.filter((one) => one['Node Type'] === 'Seq Scan').map((one) => one['Relation Name'] ?? ''),
  };
}

const idOf = async (back: number): Promise<string> =>
  (await column(db.database, `select md5($1 || ' 1')::uuid`, [back]))[0] ?? '';
const timeOf = async (back: number): Promise<string> =>
  (await column(db.database, `select to_json(now() - $1 * interval '1 day') #>> '{}'`, [back]))[0] ?? '';
const list = (args: object) => (query: Query) => getScheduledEventInvocations(query, { type: 'one_off', ...args });

test('calls of one event are read from the days of the event', async () => {
  const read = await readBy(list({ event_id: await idOf(10), get_rows_count: true }));
  expect(read).toEqual({ days: 3, rows: 2, scanned: [] });
});

test('calls of a key are read from the days of its event', async () => {
  const read = await readBy(list({ key: 'day 20' }));
  expect(read.days).toBe(3);
  expect(read.rows).toBeLessThan(10);
});

test('a pending event is looked for from its creation', async () => {
  await column(
    db.database,
    `insert into joinery.scheduled_events (id, webhook, schedule_at, created_at)
     values ('00000000-0000-4000-8000-000000000001', 'http://e/', now() + interval '1 year', now() - interval '3 days')`,
  );
  // Four days before the present one, the present and the next one.
  const read = await readBy(list({ event_id: '00000000-0000-4000-8000-000000000001' }));
  expect(read.days).toBeLessThanOrEqual(6);
});

test('a search by time reads the days of that time', async () => {
  const read = await readBy(list({ from: await timeOf(12), until: await timeOf(11), status: ['5xx'], limit: 5 }));
  expect(read.days).toBe(2);
});

test('a page of the latest calls reads about its rows, by indexes', async () => {
  const read = await readBy(list({ limit: 20 }));
  // Calls with the same time are sorted; one row of each day is compared.
  expect(read.rows).toBeLessThan(EACH * 2 + DAYS);
  expect(read.scanned).toEqual([]);
});

test('a page after a cursor reads no later days', async () => {
  const { next } = await getScheduledEventInvocations(db.database.query, { type: 'one_off', limit: EACH * 5 });
  const read = await readBy(list({ limit: 20, after: next }));
  expect(read.days).toBeLessThanOrEqual(DAYS - 2);
  expect(read.scanned).toEqual([]);
});

test('a page of unsuccessful calls reads the index of unsuccessful calls', async () => {
  const read = await readBy(list({ status: ['5xx'], limit: 5 }));
  expect(read.rows).toBeLessThan((DAYS + 1) * (EACH / 40 + 1));
});

test('statistics of ten minutes read the present day and the days ahead', async () => {
  const read = await readBy((query) => getScheduledEventStats(query, { window_seconds: 600 }));
  expect(read.days).toBeLessThanOrEqual(4);
});

test('the deletion of an event reads the days of the event', async () => {
  const id = await idOf(10);
  const read = await readBy((query) => deleteScheduledEvent(query, { type: 'one_off', event_id: id }));
  expect(read).toEqual({ days: 3, rows: 1, scanned: [] });
});

test('a batch of retention reads the days of its events', async () => {
  const runs: QueryRun[] = [];
  const task = createRetentionTask({
    query: (run, options) => {
      if (run.text.includes('joinery.processed_events')) runs.push(run);
      return db.database.query(run, options);
    },
    observe: () => undefined,
    retention: { eventDays: DAYS - 2, logDays: 0, mostEvents: 0 },
    everyMs: 20,
  });
  await task.start();
  await until('a batch is deleted', async () => runs.length > 0);
  await task.stop();
  const [run] = runs;
  const read = await readBy((query) =>
    query({ text: run?.text ?? '', values: run?.values.map(() => '2999-01-01Z') ?? [] }),
  );
  // 1,000 events of one day.
  expect(read.days).toBe(3);
});
