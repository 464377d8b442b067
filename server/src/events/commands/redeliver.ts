/** The commands that redeliver processed events and run pending events at once. */

import type { ChangedEvent, EventTarget } from '@joinery/metadata/api/events/events';
import type { RedeliveredEvents, RedeliverScheduledEvents } from '@joinery/metadata/api/events/lists';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, queryRows } from '../../postgres/sql/rows.ts';
import { integer, join, sql } from '../../postgres/sql/sql.ts';
import { eventNotFound, findEventState, targetId, targetInputs, targetValues } from './change.ts';
import { argumentPath } from './rejected-argument.ts';
import { branchesOf } from './search.ts';

const wakeNodes = fixedStatement([], [], () => sql`select joinery.wake_event_nodes()`);

const redeliver = fixedStatement(targetInputs, ['event_id'], (target) => {
  return sql`select joinery.redeliver_events(array[${targetId(target)}]) as event_id, joinery.wake_event_nodes()`;
});

/**
 * Redelivers a processed event at once: `{ message: "success", event_id }`. It keeps its id, and its retries restart.
 * Throws `conflict` for a pending event, and `not-exists`.
 */
export async function redeliverScheduledEvent(query: Query, target: EventTarget): Promise<ChangedEvent> {
  const row = await redeliver.row(query, targetValues(target));
  if (typeof row?.event_id === 'string') return { message: 'success', event_id: row.event_id };
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
  const rows = await queryRows(query, sql`select joinery.redeliver_events(array(${found})) as event_id`, ['event_id']);
  if (rows.length > 0) await wakeNodes.run(query, {});
  return { message: 'success', redelivered: rows.length, more: rows.length >= limit };
}

const runNow = fixedStatement(targetInputs, ['is_due'], (target) => {
  return sql`select joinery.run_event_now(${targetId(target)}) as is_due`;
});

/**
 * Makes a pending event due now: `{ message: "success", event_id }`. Its `scheduled_time` is unchanged. Throws `conflict`
 * if the event is being called or processed, and `not-exists`.
 */
export async function runScheduledEventNow(query: Query, target: EventTarget): Promise<ChangedEvent> {
  const isDue = (await runNow.row(query, targetValues(target)))?.is_due === 't';
  const state = await findEventState(query, target);
  if (state === undefined) throw eventNotFound(target);
  if (isDue) return { message: 'success', event_id: state.id };
  throw conflict(target, state.status === undefined ? 'is being called' : 'is processed; redeliver it instead');
}

function conflict({ event_id }: EventTarget, reason: string): ServiceError {
  const path = argumentPath([typeof event_id === 'string' ? 'event_id' : 'key']);
  return new ServiceError('conflict', `the event ${reason}`, { path });
}
