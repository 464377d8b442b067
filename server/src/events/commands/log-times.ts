/** The time of an event's calls, by which PostgreSQL reads only the days of the log that may have them. */
import { type Sql, sql } from '../../postgres/sql/sql.ts';

/**
 * Returns a condition on `log.created_at` that holds for all calls of the event: one day is added on both sides, because the clock of
 * another server counts after a failover.
 */
export function whileEvent(id: Sql): Sql {
  const event = sql`(
    select least(created_at, schedule_at) as began_at, statement_timestamp() as ended_at
      from joinery.scheduled_events where id = ${id}
    union all select least(created_at, schedule_at, processed_at), processed_at from joinery.processed_events where id = ${id}
  ) event`;
  return sql`log.created_at >= coalesce((select min(began_at) - interval '1 day' from ${event}), '-infinity')
    and log.created_at <= coalesce((select max(ended_at) + interval '1 day' from ${event}), 'infinity')`;
}
