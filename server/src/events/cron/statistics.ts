/** Reads the next run and the latest runs of cron triggers. */
import type { CronRun, CronTriggerStats } from '@joinery/metadata/api/events/cron';
import { EventStatus } from '@joinery/metadata/api/events/events';
import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { integer, sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';

const MOST_RUNS = integer(20);

/** Pending and processed runs of each trigger are read by the indexes on the trigger and the time. */
const readRuns = fixedStatement(
  ['names'],
  ['name', 'id', 'time', 'status', 'tries', 'processed_at'],
  ({ names }) => sql`select t.name, r.id, ${isoTime(sql`r.schedule_at`)} as time, r.status, r.tries,
      ${isoTime(sql`r.processed_at`)} as processed_at
    from unnest(${names}::text[]) as t (name) cross join lateral (
      (select id, schedule_at, case when lease > 0 then 'locked' else 'scheduled' end as status, tries,
          null::timestamptz as processed_at
        from joinery.scheduled_events
        where trigger_name = t.name and schedule_at <= joinery.event_now() order by schedule_at desc limit ${MOST_RUNS})
      union all
      (select id, schedule_at, status, tries, processed_at from joinery.processed_events
        where trigger_name = t.name order by schedule_at desc limit ${MOST_RUNS})
      order by schedule_at desc limit ${MOST_RUNS}
    ) r order by r.schedule_at desc`,
);

const readNext = fixedStatement(['names'], ['name', 'time'], ({ names }) => {
  return sql`select t.name, ${isoTime(sql`n.schedule_at`)} as time
    from unnest(${names}::text[]) as t (name) cross join lateral (
      select schedule_at from joinery.scheduled_events
      where trigger_name = t.name and schedule_at > joinery.event_now() order by schedule_at limit 1
    ) n`;
});

/** Returns the statistics in the order of the triggers. */
export async function cronTriggerStats(
  query: Query,
  triggers: readonly CronTrigger[],
): Promise<readonly CronTriggerStats[]> {
  const names = triggers.map(({ name }) => name);
  const next = new Map((await readNext.rows(query, { names })).map(({ name, time }) => [name, time]));
  const runs = new Map<string, CronRun[]>();
  for (const { name, id, time, status, tries, processed_at } of await readRuns.rows(query, { names })) {
    const run = {
      event_id: id ?? '',
      scheduled_time: utc(time ?? ''),
      status: EventStatus.parse(status),
      tries: Number(tries),
      processed_at: processed_at === null ? null : utc(processed_at),
    };
    runs.set(name ?? '', [...(runs.get(name ?? '') ?? []), run]);
  }
  return triggers.map(({ name, paused }) => {
    const nextTime = next.get(name);
    return {
      name,
      paused: paused === true,
      next_run_at: paused !== true && typeof nextTime === 'string' ? utc(nextTime) : null,
      runs: runs.get(name) ?? [],
    };
  });
}
