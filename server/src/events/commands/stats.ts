/** The numbers of pending, due and running events of the cluster, for metrics. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';

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
const free = (key: Sql): Sql => sql`from joinery.scheduled_events where lease is null and ordering_key is ${key}`;
const keyless = free(sql`null`);
const keyed = free(sql`not null`);

const readStats = fixedStatement([], ['pending', 'due', 'in_flight', 'oldest_due_seconds'], () => {
  return sql`with few as (
    select count(*) as pending from (select from joinery.scheduled_events limit 100001) some_rows
  )
  select
    case when few.pending <= 100000 then few.pending
      else greatest(few.pending, (
        select reltuples::bigint from pg_catalog.pg_class where oid = 'joinery.scheduled_events'::regclass
      )) end as pending,
    (select count(*) from (
      (select ${keyless} and due_at <= joinery.event_now() limit 100000)
      union all
      (select ${keyed} and due_at <= joinery.event_now() limit 100000)
      limit 100000
    ) due_rows) as due,
    (select count(*) from joinery.scheduled_events where lease > 0 and due_at <= joinery.event_now()) as in_flight,
    extract(epoch from joinery.event_now() - least(
      joinery.event_now(),
      (select min(due_at) ${keyless}),
      (select min(due_at) ${keyed}),
      (select min(due_at) from joinery.scheduled_events where lease > 0)
    )) as oldest_due_seconds
  from few`;
});

/** Reads the numbers from the tables, so that all nodes return the same. */
export async function eventStats(query: Query): Promise<EventStats> {
  const row = await readStats.row(query, {});
  return {
    pending: Number(row?.pending),
    due: Number(row?.due),
    inFlight: Number(row?.in_flight),
    oldestDueSeconds: Number(row?.oldest_due_seconds),
  };
}
