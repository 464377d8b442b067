/** The commands that deliver processed events again, and pending ones before their time. */
import { RedeliverScheduledEvents } from '@joinery/metadata/api/event-lists';
import { EventTarget } from '@joinery/metadata/api/events';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/pool.ts';
import { integer, join, sql } from '../../postgres/sql/sql.ts';
import { jsonPath, readArguments } from './arguments.ts';
import { findEventState, missing, targetText, targetValues } from './change.ts';
import { branchesOf } from './search.ts';
import { run } from './statements.ts';

type Answer = Readonly<Record<string, unknown>>;

const redeliverText = `select joinery.redeliver_events(array[${targetText}]), joinery.wake_event_nodes()`;

/**
 * Delivers a processed event again, at once: `{ message: "success", event_id }`. It keeps its id, and its retries start
 * anew. Throws `conflict` while it is pending, `not-exists`.
 */
export async function redeliverScheduledEvent(query: Query, args: unknown): Promise<Answer> {
  const target = readArguments(EventTarget, args);
  const [row] = (await query({ text: redeliverText, values: targetValues(target) })).rows;
  if (typeof row?.[0] === 'string') return { message: 'success', event_id: row[0] };
  const standing = await findEventState(query, target);
  throw standing === undefined
    ? missing(target)
    : refused(target, 'has not been processed; it is delivered in its time');
}

/**
 * Delivers the processed events that are searched for again, the earliest first, in one statement: `{ message:
 * "success", redelivered, more }`; `more` says that the limit was reached. Without a status: those that failed or died.
 */
export async function redeliverScheduledEvents(query: Query, args: unknown): Promise<Answer> {
  const { limit, ...search } = readArguments(RedeliverScheduledEvents, args);
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
 * Makes a pending event due now: `{ message: "success", event_id }`. Its `scheduled_time` stays. Throws `conflict` when
 * its call is under way or it is processed, `not-exists`.
 */
export async function runScheduledEventNow(query: Query, args: unknown): Promise<Answer> {
  const target = readArguments(EventTarget, args);
  const due = (await query({ text: runText, values: targetValues(target) })).rows[0]?.[0] === 't';
  const standing = await findEventState(query, target);
  if (due) return { message: 'success', event_id: standing?.id };
  if (standing === undefined) throw missing(target);
  throw refused(target, standing.status === undefined ? 'is being called' : 'is processed; redeliver it instead');
}

function refused({ event_id }: EventTarget, why: string): ServiceError {
  const path = jsonPath([typeof event_id === 'string' ? 'event_id' : 'key']);
  return new ServiceError('conflict', `the event ${why}`, { path });
}
