/** Statistics of recent calls, in total and for each destination: number, lateness, duration. */
import type {
  CallStats,
  GetScheduledEventStats,
  Percentiles,
  ScheduledEventStats,
} from '@joinery/metadata/api/event-lists';
import type { Query, Row } from '../../postgres/client/statement-run.ts';
import { eventStats } from './stats.ts';

/** Largest number of calls, the latest, that the statistics cover. */
const MOST_CALLS = 10_000;
const MOST_DESTINATIONS = 100;

const figures = `count(*),
    count(*) filter (where status between 200 and 299),
    percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by lateness_ms),
    percentile_cont(array[0.5, 0.95, 0.99, 1]) within group (order by duration_ms)`;
const statsText = `with recent as materialized (
    select event_id, attempt, started_at, duration_ms, status, created_at from joinery.event_invocations
    where created_at > clock_timestamp() - $1 * interval '1 second'
    order by created_at desc limit ${MOST_CALLS}
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
    select case when count(*) < ${MOST_CALLS} then $1::double precision
      else greatest(extract(epoch from clock_timestamp() - min(created_at)), 0.001) end as seconds from recent
  )
  (select null, (select seconds from span), ${figures} from call)
  union all
  (select destination, null, ${figures} from call group by destination order by count(*) desc, destination
    limit ${MOST_DESTINATIONS})`;

/**
 * `{ backlog, window_seconds, calls, destinations }`. Read from the tables, so that all nodes return the same. The
 * lateness is that of first calls. Destinations are unexpanded, the busiest first.
 */
export async function getScheduledEventStats(
  query: Query,
  { window_seconds }: GetScheduledEventStats,
): Promise<ScheduledEventStats> {
  const backlog = await eventStats(query);
  const { rows } = await query({ text: statsText, values: [window_seconds] });
  const [total, ...destinations] = rows;
  const seconds = Number(total?.[1] ?? window_seconds);
  return {
    backlog: {
      pending: backlog.pending,
      due: backlog.due,
      in_flight: backlog.inFlight,
      oldest_due_seconds: backlog.oldestDueSeconds,
    },
    window_seconds: seconds,
    calls: callsOf(total ?? [], seconds),
    destinations: destinations.map((row) => ({ destination: row[0] ?? '', ...callsOf(row, seconds) })),
  };
}

function callsOf([, , count, delivered, lateness, duration]: Row, seconds: number): CallStats {
  return {
    count: Number(count),
    per_second: Number(count) / seconds,
    delivered: Number(delivered),
    failed: Number(count) - Number(delivered),
    lateness_ms: percentiles(lateness),
    duration_ms: percentiles(duration),
  };
}

/** Parses a PostgreSQL array of four numbers; null if there were no values. */
function percentiles(array: string | null | undefined): Percentiles | null {
  if (array === null || array === undefined || array.includes('NULL')) return null;
  const [p50 = 0, p95 = 0, p99 = 0, max = 0] = array.slice(1, -1).split(',').map(Number);
  return { p50, p95, p99, max };
}
