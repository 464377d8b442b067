/** Statistics of recent calls, in total and for each destination: number, lateness, duration. */
import type {
  CallStats,
  GetScheduledEventStats,
  Percentiles,
  ScheduledEventStats,
} from '@joinery/metadata/api/events/lists';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { integer, sql } from '../../postgres/sql/sql.ts';
import { eventStats } from './stats.ts';

/** Largest number of calls, the latest, that the statistics cover. */
const MOST_CALLS = 10_000;
const MOST_DESTINATIONS = 100;

const figures = sql`count(*) as count,
    count(*) filter (where status between 200 and 299) as delivered,
    percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by lateness_ms) as lateness_ms,
    percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by duration_ms) as duration_ms`;
const figureColumns = ['count', 'delivered', 'lateness_ms', 'duration_ms'] as const;
const mostCalls = integer(MOST_CALLS);
const readCalls = fixedStatement(['window'], ['destination', 'seconds', ...figureColumns], ({ window }) => {
  return sql`with recent as materialized (
    select event_id, attempt, started_at, duration_ms, status, created_at from joinery.event_invocations
    where created_at > statement_timestamp() - ${window} * interval '1 second'
    order by created_at desc limit ${mostCalls}
  ),
  -- The log entry of an event that was too late to be called is not a call.
  call as materialized (
    select r.duration_ms, r.status, left(substring(e.webhook from '^(?:[^/?#]*//)?[^/?#]*'), 255) as destination,
      case when r.attempt = 1 then extract(epoch from r.started_at - e.schedule_at) * 1000 end as lateness_ms
    from recent r join lateral (
      select webhook, schedule_at, '' as status from joinery.scheduled_events where id = r.event_id
      union all select webhook, schedule_at, status from joinery.processed_events where id = r.event_id
    ) e on not (e.status = 'dead' and r.status is null and r.duration_ms = 0)
  ),
  span as (
    select case when count(*) < ${mostCalls} then ${window}::double precision
      else greatest(extract(epoch from clock_timestamp() - min(created_at)), 0.001) end as seconds from recent
  )
  (select null as destination, (select seconds from span) as seconds, ${figures} from call)
  union all
  (select destination, null, ${figures} from call group by destination order by count(*) desc, destination
    limit ${integer(MOST_DESTINATIONS)})`;
});

/**
 * `{ backlog, window_seconds, calls, destinations }`. Read from the tables, so that all nodes return the same. The
 * lateness is that of first calls. Destinations are unexpanded, the busiest first.
 */
export async function getScheduledEventStats(
  query: Query,
  { window_seconds }: GetScheduledEventStats,
): Promise<ScheduledEventStats> {
  const backlog = await eventStats(query);
  const [total, ...destinations] = await readCalls.rows(query, { window: window_seconds });
  const seconds = Number(total?.seconds ?? window_seconds);
  return {
    backlog: {
      pending: backlog.pending,
      due: backlog.due,
      in_flight: backlog.inFlight,
      oldest_due_seconds: backlog.oldestDueSeconds,
    },
    window_seconds: seconds,
    calls: callsOf(total, seconds),
    destinations: destinations.map((row) => ({ destination: row.destination ?? '', ...callsOf(row, seconds) })),
  };
}

function callsOf(row: TextRow<(typeof figureColumns)[number]> | undefined, seconds: number): CallStats {
  const [count, delivered] = [Number(row?.count ?? 0), Number(row?.delivered ?? 0)];
  return {
    count,
    per_second: count / seconds,
    delivered,
    failed: count - delivered,
    lateness_ms: percentiles(row?.lateness_ms),
    duration_ms: percentiles(row?.duration_ms),
  };
}

/** Parses a PostgreSQL array of four numbers; null if there were no values. */
function percentiles(array: string | null | undefined): Percentiles | null {
  if (array === null || array === undefined || array.includes('NULL')) return null;
  const [p50 = 0, p95 = 0, p99 = 0, max = 0] = array.slice(1, -1).split(',').map(Number);
  return { p50, p95, p99, max };
}
