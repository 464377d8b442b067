/** The commands that update, cancel and delete scheduled events. */
import type { CanceledEvents, CancelScheduledEvents, DeleteScheduledEvent } from '@joinery/metadata/api/event-lists';
import type { ChangedEvent, EventTarget, UpdateScheduledEvent } from '@joinery/metadata/api/events';
import type { Success } from '@joinery/metadata/api/success';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { integer, join, sql } from '../../postgres/sql/sql.ts';
import { utc } from '../webhook/envelope.ts';
import {
  checkDelivery,
  checkedRetry,
  checkHeaders,
  checkPayload,
  checkWebhook,
  deliveryColumn,
} from './checked-event.ts';
import { argumentPath, isUuid } from './rejected-argument.ts';
import { branchesOf } from './search.ts';
import { run } from './statements.ts';

export const targetText = `coalesce($1::uuid, (select k.event_id from joinery.event_keys k where k.key = $2))`;

/** Returns the parameters of `targetText`. Throws `not-exists` for an id that is not a UUID. */
export function targetValues({ event_id, key }: EventTarget): [string | null, string | null] {
  if (typeof event_id === 'string' && !isUuid(event_id)) throw eventNotFound({ event_id });
  return [event_id ?? null, key ?? null];
}

export function eventNotFound({ event_id, key }: EventTarget): ServiceError {
  const name = typeof event_id === 'string' ? `id "${event_id}"` : `key "${key}"`;
  return new ServiceError('not-exists', `there is no event with the ${name}`, {
    path: argumentPath([typeof event_id === 'string' ? 'event_id' : 'key']),
  });
}

const updateText = `select joinery.change_event(
    ${targetText}, $3, $4, $5::json, $6::json, $7, $8, $9, $10, $11, $12, $13::json, $14::json
  )`;

/**
 * Changes a pending event: `{ message: "success", event_id, scheduled_time }`. A new time restarts its retries. Throws
 * `conflict` if the event is being called or processed, `not-exists`, and the errors of creating an event.
 */
export async function updateScheduledEvent(
  query: Query,
  change: UpdateScheduledEvent,
  environment: Environment,
): Promise<ChangedEvent & { readonly scheduled_time: string }> {
  if (change.webhook !== undefined) checkWebhook(change.webhook, environment, []);
  if (change.headers !== undefined) checkHeaders(change.headers, environment, []);
  checkDelivery(change, environment, []);
  const retry = change.retry_conf === undefined ? undefined : checkedRetry(change.retry_conf);
  const values = [
    ...targetValues(change),
    change.webhook ?? null,
    change.at ?? null,
    change.payload === undefined ? null : checkPayload(change.payload, []),
    change.headers === undefined ? null : printJson(change.headers),
    retry?.numRetries ?? null,
    retry?.retryIntervalSeconds ?? null,
    retry?.timeoutSeconds ?? null,
    retry?.toleranceSeconds ?? null,
    change.comment ?? null,
    change.comment === null,
    retry?.policy ?? null,
    deliveryColumn(change, true),
  ];
  const changed = (await query({ text: updateText, values })).rows[0]?.[0] === 't';
  const state = await findEventState(query, change);
  if (state === undefined) throw eventNotFound(change);
  if (!changed) throw notPending(change, state.status, 'changed');
  return { message: 'success', event_id: state.id, scheduled_time: state.time };
}

const cancelText = `select joinery.cancel_events(array[${targetText}])`;

/**
 * Cancels a pending event and keeps it and its calls in the history: `{ message: "success", event_id }`. Throws the errors
 * of updating an event.
 */
export async function cancelScheduledEvent(query: Query, target: EventTarget): Promise<ChangedEvent> {
  const [row] = (await query({ text: cancelText, values: targetValues(target) })).rows;
  if (typeof row?.[0] === 'string') return { message: 'success', event_id: row[0] };
  const state = await findEventState(query, target);
  throw state === undefined ? eventNotFound(target) : notPending(target, state.status, 'cancelled');
}

/**
 * Cancels the pending events that match the search, the earliest first: `{ message: "success", cancelled, more }`. Events
 * that are being called are skipped; `more` is true if the limit was reached.
 */
export async function cancelScheduledEvents(query: Query, args: CancelScheduledEvents): Promise<CanceledEvents> {
  const { limit, all: _all, status: _status, ...search } = args;
  const most = integer(limit);
  const branches = branchesOf({ ...search, status: ['scheduled'] });
  const earliest = branches.map(
    ({ table, where, time }) =>
      sql`(select e.id, ${time} as time from ${table} e where ${where} order by ${time} limit ${most})`,
  );
  const found = sql`select id from (${join(earliest, ' union all ')}) found order by time limit ${most}`;
  const { rows } = await run(query, sql`select joinery.cancel_events(array(${found}))`);
  return { message: 'success', cancelled: rows.length, more: rows.length >= limit };
}

export interface EventState {
  readonly id: string;
  /** The scheduled time in UTC. */
  readonly time: string;
  /** Undefined for a pending event. */
  readonly status: string | undefined;
}

const stateText = `select id, to_char(schedule_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), status from (
    select id, schedule_at, null as status from joinery.scheduled_events where id = ${targetText}
    union all select id, schedule_at, status from joinery.processed_events where id = ${targetText}
  ) event`;

export async function findEventState(query: Query, target: EventTarget): Promise<EventState | undefined> {
  const [row] = (await query({ text: stateText, values: targetValues(target) })).rows;
  return row === undefined ? undefined : { id: row[0] ?? '', time: utc(row[1] ?? ''), status: row[2] ?? undefined };
}

function notPending({ event_id }: EventTarget, status: string | undefined, participle: string): ServiceError {
  const states = {
    delivered: 'has been delivered',
    error: 'has been called and has failed',
    dead: 'is dead',
    cancelled: 'has been cancelled',
  };
  const why = status === undefined ? 'is being called' : (states[status as keyof typeof states] ?? `is ${status}`);
  const hint = status === undefined ? '; try again when the call has ended' : '';
  return new ServiceError('conflict', `the event ${why} and cannot be ${participle}${hint}`, {
    path: argumentPath([typeof event_id === 'string' ? 'event_id' : 'key']),
  });
}

const deleteText = `with pending as (delete from joinery.scheduled_events where id = $1 returning id),
  processed as (delete from joinery.processed_events where id = $1 returning id),
  logged as (delete from joinery.event_invocations where event_id = $1),
  named as (delete from joinery.event_keys where event_id = $1)
  select id from pending union all select id from processed`;

/**
 * Deletes an event in any state with its log: `{ message: "success" }`, also without such an event. A pending event is not
 * called unless it is due within a moment; the outcome of a running call is not written.
 */
export async function deleteScheduledEvent(query: Query, { event_id }: DeleteScheduledEvent): Promise<Success> {
  if (isUuid(event_id)) {
    const result = await query({ text: deleteText, values: [event_id] });
    // The event may have been processed, which moves it to the other table, while the statement waited.
    if (result.rows.length === 0) await query({ text: deleteText, values: [event_id] });
  }
  return { message: 'success' };
}
