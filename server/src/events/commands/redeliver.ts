/** The commands that redeliver processed events and run pending events at once. */
import type { RedeliveredEvents, RedeliverScheduledEvents } from '@joinery/metadata/api/event-lists';
import type { ChangedEvent, EventTarget } from '@joinery/metadata/api/events';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { integer, join, sql } from '../../postgres/sql/sql.ts';
import { eventNotFound, findEventState, targetText, targetValues } from './change.ts';
import { argumentPath } from './rejected-argument.ts';
import { branchesOf } from './search.ts';
import { run } from './statements.ts';

const redeliverText = `select joinery.redeliver_events(array[${targetText}]), joinery.wake_event_nodes()`;

/**
 * Redelivers a processed event at once: `{ message: "success", event_id }`. It keeps its id, and its retries restart.
 * Throws `conflict` for a pending event, and `not-exists`.
 */
export async function redeliverScheduledEvent(query: Query, target: EventTarget): Promise<ChangedEvent> {
  const [row] = (await query({ text: redeliverText, values: targetValues(target) })).rows;
  if (typeof row?.[0] === 'string') return { message: 'success', event_id: row[0] };
  const state = await findEventState(query, target);
  throw state === undefined
    ? eventNotFound(target)
    : conflict(target, 'has not been processed; it is delivered at its scheduled time');
}

/**
 * Redelivers the processed events that match the search, the earliest first: `{ message: "success", redelivered, more }`.
 * `more` is true if the limit was reached. Without a status, failed and dead events are redelivered.
 */
export async function redeliverScheduledEvents(
  query: Query,
  args: RedeliverScheduledEvents,
): Promise<RedeliveredEvents> {
  const { limit, ...search } = args;
  const most = integer(limit);
  const parts = branchesOf(search).map(
    ({ table, where, time }) =>
      sql`(select e.id, ${time} as time from ${table} e where ${where} order by ${time} limit ${most})`,
  );
  const found = sql`select id from (${join(parts, ' union all ')}) found order by time limit ${most}`;
  const { rows } = await run(query, sql`select joinery.redeliver_events(array(${found}))`);
  if (rows.length > 0) await query({ text: 'select joinery.wake_event_nodes()', values: [] });
  return { message: 'success', redelivered: rows.length, more: rows.length >= limit };
}

const runText = `select joinery.run_event_now(${targetText})`;

/**
 * Makes a pending event due now: `{ message: "success", event_id }`. Its `scheduled_time` is unchanged. Throws `conflict`
 * if the event is being called or processed, and `not-exists`.
 */
export async function runScheduledEventNow(query: Query, target: EventTarget): Promise<ChangedEvent> {
  const isDue = (await query({ text: runText, values: targetValues(target) })).rows[0]?.[0] === 't';
  const state = await findEventState(query, target);
  if (state === undefined) throw eventNotFound(target);
  if (isDue) return { message: 'success', event_id: state.id };
  throw conflict(target, state.status === undefined ? 'is being called' : 'is processed; redeliver it instead');
}

function conflict({ event_id }: EventTarget, reason: string): ServiceError {
  const path = argumentPath([typeof event_id === 'string' ? 'event_id' : 'key']);
  return new ServiceError('conflict', `the event ${reason}`, { path });
}
