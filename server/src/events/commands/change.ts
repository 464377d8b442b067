/** The commands that update, cancel and delete scheduled events. */

import type { ChangedEvent, EventTarget, UpdateScheduledEvent } from '@joinery/metadata/api/events/events';
import type { CanceledEvents, CancelScheduledEvents, DeleteScheduledEvent } from '@joinery/metadata/api/events/lists';
import type { Success } from '@joinery/metadata/api/success';
import { targetDestination } from '@joinery/metadata/schema/events/targets';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { printJson } from '../../base/json-value.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, queryRows } from '../../postgres/sql/rows.ts';
import { integer, join, type Sql, sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import {
  checkDelivery,
  checkedRetry,
  checkHeaders,
  checkPayload,
  checkWebhook,
  deliveryColumn,
} from './checked-event.ts';
import { whileEvent } from './log-times.ts';
import { argumentPath, isUuid, rejectArgument } from './rejected-argument.ts';
import { branchesOf } from './search.ts';

/** The inputs of `targetId`. */
export const targetInputs = ['event_id', 'key'] as const;
type TargetInputs = Readonly<Record<(typeof targetInputs)[number], Sql>>;

/** Returns the expression for the id of an event that is named by its id or its key. */
export function targetId({ event_id, key }: TargetInputs): Sql {
  return sql`coalesce(${event_id}::uuid, (select k.event_id from joinery.event_keys k where k.key = ${key}))`;
}

/** Returns the inputs for `targetId`. Throws `not-exists` for an id that is not a UUID. */
export function targetValues({ event_id, key }: EventTarget): { event_id: string | null; key: string | null } {
  if (typeof event_id === 'string' && !isUuid(event_id)) throw eventNotFound({ event_id });
  return { event_id: event_id ?? null, key: key ?? null };
}

export function eventNotFound({ event_id, key }: EventTarget): ServiceError {
  const name = typeof event_id === 'string' ? `id "${event_id}"` : `key "${key}"`;
  return new ServiceError('not-exists', `there is no event with the ${name}`, {
    path: argumentPath([typeof event_id === 'string' ? 'event_id' : 'key']),
  });
}

const changeInputs = [
  'webhook',
  'at',
  'payload',
  'headers',
  'num_retries',
  'retry_interval_seconds',
  'timeout_seconds',
  'tolerance_seconds',
  'comment',
  'clears_comment',
  'retry_policy',
  'delivery',
] as const;
const changeEvent = fixedStatement([...targetInputs, ...changeInputs], ['changed'], (given) => {
  return sql`select joinery.change_event(
      ${targetId(given)}, ${given.webhook}, ${given.at}, ${given.payload}::json, ${given.headers}::json,
      ${given.num_retries}, ${given.retry_interval_seconds}, ${given.timeout_seconds}, ${given.tolerance_seconds},
      ${given.comment}, ${given.clears_comment}, ${given.retry_policy}::json, ${given.delivery}::json
    ) as changed`;
});

/**
 * Changes a pending event: `{ message: "success", event_id, scheduled_time }`. A new time restarts its retries. Throws
 * `conflict` if the event is being called or processed, `not-exists`, and the errors of creating an event.
 */
export async function updateScheduledEvent(
  query: Query,
  change: UpdateScheduledEvent,
  environment: Environment,
): Promise<ChangedEvent & { readonly scheduled_time: string }> {
  const { target } = change;
  if (change.webhook !== undefined) checkWebhook(change.webhook, environment, []);
  else if (target === undefined) await rejectRequestOfTarget(query, change);
  if (change.headers !== undefined) checkHeaders(change.headers, environment, []);
  checkDelivery(change, environment, []);
  const retry = change.retry_conf === undefined ? undefined : checkedRetry(change.retry_conf);
  const row = await changeEvent.row(query, {
    ...targetValues(change),
    webhook: target === undefined ? (change.webhook ?? null) : targetDestination(target),
    at: change.at ?? null,
    payload: change.payload === undefined ? null : checkPayload(change.payload, []),
    headers: target !== undefined ? '[]' : change.headers === undefined ? null : printJson(change.headers),
    num_retries: retry?.numRetries ?? null,
    retry_interval_seconds: retry?.retryIntervalSeconds ?? null,
    timeout_seconds: retry?.timeoutSeconds ?? null,
    tolerance_seconds: retry?.toleranceSeconds ?? null,
    comment: change.comment ?? null,
    clears_comment: change.comment === null,
    retry_policy: retry?.policy ?? null,
    delivery: changedDelivery(change),
  });
  const changed = row?.changed === 't';
  const state = await findEventState(query, change);
  if (state === undefined) throw eventNotFound(change);
  if (!changed) throw notPending(change, state.status, 'changed');
  return { message: 'success', event_id: state.id, scheduled_time: state.time };
}

/** A webhook replaces a target, and a target replaces a webhook with its request format. */
function changedDelivery(change: UpdateScheduledEvent): string | null {
  const { target, webhook, body, signing, request_transform } = change;
  if (target !== undefined) return deliveryColumn({ body: null, signing: null, request_transform: null, target }, true);
  return deliveryColumn({ body, signing, request_transform, target: webhook === undefined ? undefined : null }, true);
}

const readTarget = fixedStatement(targetInputs, ['target'], (given) => {
  return sql`select e.delivery -> 'target' as target from joinery.scheduled_events e where e.id = ${targetId(given)}`;
});

/** Throws `parse-failed` for members that describe a request to a webhook, of an event with a target. */
async function rejectRequestOfTarget(query: Query, change: UpdateScheduledEvent): Promise<void> {
  const { headers, body, signing, request_transform } = change;
  const member = Object.entries({ headers, body, signing, request_transform }).find(([, value]) => value !== undefined);
  if (member === undefined) return;
  const row = await readTarget.row(query, targetValues(change));
  if (typeof row?.target !== 'string') return;
  rejectArgument('describes a request to a webhook, and the event has a target; give a webhook to replace it', [
    member[0],
  ]);
}

const cancelEvent = fixedStatement(targetInputs, ['event_id'], (target) => {
  return sql`select joinery.cancel_events(array[${targetId(target)}]) as event_id`;
});

/**
 * Cancels a pending event and keeps it and its calls in the history: `{ message: "success", event_id }`. Throws the errors
 * of updating an event.
 */
export async function cancelScheduledEvent(query: Query, target: EventTarget): Promise<ChangedEvent> {
  const row = await cancelEvent.row(query, targetValues(target));
  if (typeof row?.event_id === 'string') return { message: 'success', event_id: row.event_id };
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
  const rows = await queryRows(query, sql`select joinery.cancel_events(array(${found})) as event_id`, ['event_id']);
  return { message: 'success', cancelled: rows.length, more: rows.length >= limit };
}

export interface EventState {
  readonly id: string;
  /** The scheduled time in UTC. */
  readonly time: string;
  /** Undefined for a pending event. */
  readonly status: string | undefined;
}

const readState = fixedStatement(targetInputs, ['id', 'time', 'status'], (target) => {
  const id = targetId(target);
  return sql`select id, ${isoTime(sql`schedule_at`)} as time, status from (
      select id, schedule_at, null as status from joinery.scheduled_events where id = ${id}
      union all select id, schedule_at, status from joinery.processed_events where id = ${id}
    ) event`;
});

export async function findEventState(query: Query, target: EventTarget): Promise<EventState | undefined> {
  const row = await readState.row(query, targetValues(target));
  return row && { id: row.id ?? '', time: utc(row.time ?? ''), status: row.status ?? undefined };
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

const deleteEvent = fixedStatement(['id', 'is_cron'], ['id'], ({ id, is_cron }) => {
  const named = sql`id = ${id} and (trigger_name is not null) = ${is_cron}::boolean`;
  return sql`with pending as (delete from joinery.scheduled_events where ${named} returning id),
    processed as (delete from joinery.processed_events where ${named} returning id),
    deleted as (select id from pending union all select id from processed),
    logged as (delete from joinery.event_invocations log
      where log.event_id = ${id} and ${whileEvent(id)} and exists (select from deleted)),
    unnamed as (delete from joinery.event_keys where event_id = ${id} and exists (select from deleted))
    select id from deleted`;
});

/**
 * Deletes an event in any state with its log: `{ message: "success" }`, also without such an event of the type. A pending event is
 * not called unless it is due within a moment; the outcome of a running call is not written.
 */
export async function deleteScheduledEvent(query: Query, { type, event_id }: DeleteScheduledEvent): Promise<Success> {
  if (isUuid(event_id)) {
    const inputs = { id: event_id, is_cron: String(type === 'cron') };
    const row = await deleteEvent.row(query, inputs);
    // The event may have been processed, which moves it to the other table, while the statement waited.
    if (row === undefined) await deleteEvent.run(query, inputs);
  }
  return { message: 'success' };
}
