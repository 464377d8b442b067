/** The commands that change what is scheduled: update, cancel, delete. */
import { CancelScheduledEvents, DeleteScheduledEvent } from '@joinery/metadata/api/event-lists';
import { EventTarget, UpdateScheduledEvent } from '@joinery/metadata/api/events';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Query } from '../../postgres/client/pool.ts';
import { integer, join, sql } from '../../postgres/sql/sql.ts';
import { utc } from '../webhook/envelope.ts';
import { isUuid, jsonPath, readArguments } from './arguments.ts';
import {
  checkDelivery,
  checkedRetry,
  checkHeaders,
  checkPayload,
  checkWebhook,
  writtenDelivery,
} from './checked-event.ts';
import { branchesOf } from './search.ts';
import { run } from './statements.ts';

type Answer = Readonly<Record<string, unknown>>;

export const targetText = `coalesce($1::uuid, (select k.event_id from joinery.event_keys k where k.key = $2))`;

/** The parameters of `targetText`. Throws `not-exists` for an id that can be nobody's. */
export function targetValues({ event_id, key }: EventTarget): [string | null, string | null] {
  if (typeof event_id === 'string' && !isUuid(event_id)) throw missing({ event_id });
  return [event_id ?? null, key ?? null];
}

export function missing({ event_id, key }: EventTarget): ServiceError {
  const name = typeof event_id === 'string' ? `id "${event_id}"` : `key "${key}"`;
  return new ServiceError('not-exists', `there is no event with the ${name}`, {
    path: jsonPath([typeof event_id === 'string' ? 'event_id' : 'key']),
  });
}

const updateText = `select joinery.change_event(
    ${targetText}, $3, $4, $5::json, $6::json, $7, $8, $9, $10, $11, $12, $13::json, $14::json
  )`;

/**
 * Changes an event that is pending: `{ message: "success", event_id, scheduled_time }`. Another time starts its retries
 * anew. Throws `conflict` when its call is under way or it is processed, `not-exists`, and what creating throws.
 */
export async function updateScheduledEvent(query: Query, args: unknown, environment: Environment): Promise<Answer> {
  const change = readArguments(UpdateScheduledEvent, args);
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
    writtenDelivery(change, true),
  ];
  const changed = (await query({ text: updateText, values })).rows[0]?.[0] === 't';
  const standing = await findEventState(query, change);
  if (!changed) throw standing === undefined ? missing(change) : settled(change, standing.status, 'changed');
  return { message: 'success', event_id: standing?.id, scheduled_time: standing?.time };
}

const cancelText = `select joinery.cancel_events(array[${targetText}])`;

/**
 * Cancels an event that is pending; it and its calls stay in the history: `{ message: "success", event_id }`. Throws as
 * updating does.
 */
export async function cancelScheduledEvent(query: Query, args: unknown): Promise<Answer> {
  const target = readArguments(EventTarget, args);
  const [row] = (await query({ text: cancelText, values: targetValues(target) })).rows;
  if (row !== undefined) return { message: 'success', event_id: row[0] };
  const standing = await findEventState(query, target);
  throw standing === undefined ? missing(target) : settled(target, standing.status, 'cancelled');
}

/**
 * Cancels the pending events that are searched for, the earliest first, in one statement: `{ message: "success",
 * cancelled, more }`. Those whose call is under way are left alone; `more` says that the limit was reached.
 */
export async function cancelScheduledEvents(query: Query, args: unknown): Promise<Answer> {
  const { limit, all: _all, status: _status, ...search } = readArguments(CancelScheduledEvents, args);
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
  /** UTC. */
  readonly time: string;
  /** Undefined while it is pending. */
  readonly status: string | undefined;
}

const standingText = `select id, to_char(schedule_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), status from (
    select id, schedule_at, null as status from joinery.scheduled_events where id = ${targetText}
    union all select id, schedule_at, status from joinery.processed_events where id = ${targetText}
  ) event`;

export async function findEventState(query: Query, target: EventTarget): Promise<EventState | undefined> {
  const [row] = (await query({ text: standingText, values: targetValues(target) })).rows;
  return row === undefined ? undefined : { id: row[0] ?? '', time: utc(row[1] ?? ''), status: row[2] ?? undefined };
}

function settled({ event_id }: EventTarget, status: string | undefined, deed: string): ServiceError {
  const state = {
    delivered: 'has been delivered',
    error: 'has been called and has failed',
    dead: 'is dead',
    cancelled: 'has been cancelled',
  };
  const why = status === undefined ? 'is being called' : (state[status as keyof typeof state] ?? `is ${status}`);
  const hint = status === undefined ? '; look again when the call has ended' : '';
  return new ServiceError('conflict', `the event ${why} and cannot be ${deed}${hint}`, {
    path: jsonPath([typeof event_id === 'string' ? 'event_id' : 'key']),
  });
}

const deleteText = `with pending as (delete from joinery.scheduled_events where id = $1 returning id),
  processed as (delete from joinery.processed_events where id = $1 returning id),
  logged as (delete from joinery.event_invocations where event_id = $1),
  named as (delete from joinery.event_keys where event_id = $1)
  select id from pending union all select id from processed`;

/**
 * Deletes an event in whatever state, with its log: `{ message: "success" }`, also when there is none of that id. One
 * that is due more than a moment later is not called any more; a call that is under way leaves no trace.
 */
export async function deleteScheduledEvent(query: Query, args: unknown): Promise<Answer> {
  const { event_id } = readArguments(DeleteScheduledEvent, args);
  if (isUuid(event_id)) {
    const result = await query({ text: deleteText, values: [event_id] });
    // It may have moved from the one table to the other while the statement waited for it.
    if (result.rows.length === 0) await query({ text: deleteText, values: [event_id] });
  }
  return { message: 'success' };
}
