/** Periodic maintenance of the history of triggers: replaces segments and drops those whose retention is over. Deletes no rows. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { type CronSchedule, readSchedule } from '../cron/schedule.ts';
import { advanceSegments, dropSegments } from './segments.ts';

/** How long the history of a trigger is retained. */
export interface HistoryRules {
  /** A segment with events is replaced after this time. */
  readonly segmentSeconds: number;
  readonly eventSeconds: number;
  readonly logSeconds: number;
  /** When segments are dropped; undefined: as soon as their retention is over. */
  readonly schedule: CronSchedule | undefined;
}

/** A clean-up as configured for a trigger. */
export interface Cleanup {
  readonly schedule: string;
  readonly olderThanHours: number;
  readonly includesInvocations: boolean;
  readonly isPaused: boolean;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** A retention has about so many segments, so that an event is removed at most a tenth of the retention later. */
const SEGMENTS = 10;
const SHORTEST_SEGMENT = 5 * 60;
const LARGEST_SEGMENT = 2 ** 30;

/** Returns the rules of a trigger. `defaultDays`: retention without a clean-up, and that of logs that the clean-up does not include; 0 for no limit. */
export function historyRules(cleanup: Cleanup | undefined, defaultDays: number): HistoryRules {
  const retained = defaultDays === 0 ? Number.POSITIVE_INFINITY : defaultDays * DAY;
  const eventSeconds = cleanup === undefined ? retained : cleanup.olderThanHours * HOUR;
  const segmentSeconds = Math.min(Math.max(eventSeconds / SEGMENTS, SHORTEST_SEGMENT), DAY);
  if (cleanup === undefined) return { segmentSeconds, eventSeconds, logSeconds: retained, schedule: undefined };
  if (cleanup.isPaused) {
    const never = Number.POSITIVE_INFINITY;
    return { segmentSeconds, eventSeconds: never, logSeconds: never, schedule: undefined };
  }
  const schedule = readSchedule(cleanup.schedule);
  return {
    segmentSeconds,
    eventSeconds,
    logSeconds: cleanup.includesInvocations ? eventSeconds : Math.max(retained, eventSeconds),
    schedule: 'next' in schedule ? schedule : undefined,
  };
}

/** Takes the triggers that no node has maintained for a while: each is maintained by one node at a time. */
const take = fixedStatement(
  ['owner', 'everySeconds'],
  ['number', 'name', 'cleaned_ms', 'now_ms'],
  ({ owner, everySeconds }) => {
    return sql`update joinery.triggers t set maintained_at = clock_timestamp()
      from (
        select d.number from joinery.triggers d
        where d.owner = ${owner}
          and (d.maintained_at is null or d.maintained_at < clock_timestamp() - ${everySeconds} * interval '1 second')
        order by d.number for no key update skip locked
      ) due
      where t.number = due.number
      returning t.number, t.name, extract(epoch from t.cleaned_at) * 1000 as cleaned_ms,
        extract(epoch from clock_timestamp()) * 1000 as now_ms`;
  },
);

const cleaned = fixedStatement(['number'], [], ({ number }) => {
  return sql`update joinery.triggers set cleaned_at = clock_timestamp() where number = ${number}`;
});

/**
 * Replaces and drops segments of the triggers with these names. The work depends on the number of segments, not on that of events.
 * Triggers without rules are left as they are.
 */
export async function maintainHistory(
  query: Query,
  owner: string,
  rules: ReadonlyMap<string, HistoryRules>,
  everySeconds: number,
): Promise<void> {
  const taken = (await take.rows(query, { owner, everySeconds })).flatMap((row) => {
    const own = rules.get(row.name ?? '');
    return own === undefined ? [] : [{ ...own, number: Number(row.number), row }];
  });
  if (taken.length === 0) return;
  await advanceSegments(query, taken, LARGEST_SEGMENT);
  for (const { number, schedule, row, ...retention } of taken) {
    if (retention.eventSeconds === Number.POSITIVE_INFINITY) continue;
    if (schedule !== undefined) {
      const [due] = schedule.next(Number(row.cleaned_ms), 1);
      if (due === undefined || due > Number(row.now_ms)) continue;
    }
    const { left } = await dropSegments(query, { number, ...retention });
    // Otherwise the next maintenance drops the rest.
    if (schedule !== undefined && left === 0) await cleaned.run(query, { number });
  }
}
