/** The numbers of pending, due and running events of the cluster, for metrics. */
import type { Query } from '../../postgres/client/statement-run.ts';

export interface EventStats {
  /** Events that are not processed; exact up to 100,000, otherwise the planner's estimate. */
  readonly pending: number;
  /** Due and not claimed, without events that wait for another with their ordering key; at most 100,000. */
  readonly due: number;
  /** Due and claimed by a node. */
  readonly inFlight: number;
  /** Lateness of the oldest due event in seconds; 0 without due events. */
  readonly oldestDueSeconds: number;
}

/** The limits bound the cost of a scrape of the metrics. */
const free = (key: string): string => `from joinery.scheduled_events where lease is null and ordering_key is ${key}`;

const statsText = `with few as (
    select count(*) as pending from (select from joinery.scheduled_events limit 100001) some_rows
  )
  select
    case when few.pending <= 100000 then few.pending
      else greatest(few.pending, (
        select reltuples::bigint from pg_catalog.pg_class where oid = 'joinery.scheduled_events'::regclass
      )) end,
    (select count(*) from (
      (select ${free('null')} and due_at <= joinery.event_now() limit 100000)
      union all
      (select ${free('not null')} and due_at <= joinery.event_now() limit 100000)
      limit 100000
    ) due_rows),
    (select count(*) from joinery.scheduled_events where lease > 0 and due_at <= joinery.event_now()),
    extract(epoch from joinery.event_now() - least(
      joinery.event_now(),
      (select min(due_at) ${free('null')}),
      (select min(due_at) ${free('not null')}),
      (select min(due_at) from joinery.scheduled_events where lease > 0)
    ))
  from few`;

/** Reads the numbers from the tables, so that all nodes return the same. */
export async function eventStats(query: Query): Promise<EventStats> {
  const [row] = (await query({ text: statsText, values: [] })).rows;
  const [pending = 0, due = 0, inFlight = 0, oldestDueSeconds = 0] = row?.map(Number) ?? [];
  return { pending, due, inFlight, oldestDueSeconds };
}
