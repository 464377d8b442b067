/** The commands for one-off scheduled events: create one, list them and their calls, delete one. */
import {
  CreateScheduledEvent,
  DeleteScheduledEvent,
  GetScheduledEventInvocations,
  GetScheduledEvents,
} from '@joinery/metadata/events';
import { type Environment, expand, expandHeaders } from '../base/environment.ts';
import { ServiceError } from '../base/errors.ts';
import { printJson } from '../base/json.ts';
import type { Query } from '../postgres/pool.ts';
import { isUuid, jsonPath, readArguments } from './arguments.ts';
import { listEvents, listInvocations } from './listing.ts';

/** Bytes of a payload as JSON. */
export const LARGEST_PAYLOAD = 1_048_576;

type Answer = Readonly<Record<string, unknown>>;

const insertText = `insert into joinery.scheduled_events (
    webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds,
    comment
  ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`;

/**
 * Schedules one event, in the transaction of `query` if it is in one: `{ message: "success", event_id }`. Throws
 * `parse-failed` with the path of an argument that does not fit, `invalid-configuration` for an environment variable
 * that is not set, `payload-too-large`.
 */
export async function createScheduledEvent(query: Query, args: unknown, environment: Environment): Promise<Answer> {
  const event = readArguments(CreateScheduledEvent, args);
  checkWebhook(event.webhook, environment);
  event.headers.forEach((header, index) => {
    const member = 'value' in header ? 'value' : 'value_from_env';
    const [[, value = ''] = []] = at(['headers', index, member], () => expandHeaders([header], environment));
    checkHeaderValue(value, ['headers', index, member]);
  });
  const payload = printJson(event.payload);
  checkPayload(payload);
  const { num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds } = event.retry_conf;
  const retry = [num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds];
  const headers = printJson(event.headers);
  const values = [event.webhook, event.schedule_at, payload, headers, ...retry, event.comment ?? null];
  const result = await query({ text: insertText, values });
  return { message: 'success', event_id: result.rows[0]?.[0] };
}

function checkWebhook(webhook: string, environment: Environment): void {
  const url = at(['webhook'], () => expand(webhook, environment));
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return;
  const filled = url === webhook ? '' : ' once its variables are filled in';
  refuse(`must be an http or https URL${filled}`, ['webhook']);
}

/** What an HTTP header may carry; a variable may hold anything. */
function checkHeaderValue(value: string, path: readonly PropertyKey[]): void {
  if (/[\r\n\0]/.test(value)) refuse('must not contain a line break, and its variable does', path);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) refuse('must consist of Latin characters that can be printed', path);
}

function checkPayload(payload: string): void {
  const bytes = Buffer.byteLength(payload);
  if (bytes <= LARGEST_PAYLOAD) return;
  throw new ServiceError(
    'payload-too-large',
    `the payload has ${bytes} bytes, the limit is ${LARGEST_PAYLOAD}; send a reference to the data instead`,
    { path: jsonPath(['payload']) },
  );
}

/** What `work` throws, with the path of the argument it worked on. */
function at<Result>(path: readonly PropertyKey[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(error.code, error.message, { path: jsonPath(path) });
    throw error;
  }
}

function refuse(message: string, path: readonly PropertyKey[]): never {
  throw new ServiceError('parse-failed', message, { path: jsonPath(path) });
}

/** `{ events, count? }`; `count` when it was asked for, without regard to limit and offset. */
export async function getScheduledEvents(query: Query, args: unknown): Promise<Answer> {
  return listEvents(query, readArguments(GetScheduledEvents, args));
}

/** `{ invocations, count? }`, the latest first. */
export async function getScheduledEventInvocations(query: Query, args: unknown): Promise<Answer> {
  return listInvocations(query, readArguments(GetScheduledEventInvocations, args));
}

const deleteText = `with pending as (delete from joinery.scheduled_events where id = $1 returning id),
  processed as (delete from joinery.processed_events where id = $1 returning id),
  logged as (delete from joinery.event_invocations where event_id = $1)
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
