/** The commands that schedule one or many events. */

import { randomUUID } from 'node:crypto';
import type {
  CreatedEvent,
  CreatedEvents,
  CreateScheduledEvent,
  CreateScheduledEvents,
} from '@joinery/metadata/api/events';
import type { Success } from '@joinery/metadata/api/success';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { utc } from '../webhook/envelope.ts';
import { type CheckedEvent, checkEvent } from './checked-event.ts';
import { argumentPath, rejectArgument } from './rejected-argument.ts';

/**
 * Schedules an event: `{ message: "success", event_id, scheduled_time }`, with `existing: true` if an equal event with its
 * key exists. Throws the errors of `checkEvent`, and `already-exists` for a different event with the key.
 */
export async function createScheduledEvent(
  query: Query,
  event: CreateScheduledEvent,
  environment: Environment,
): Promise<CreatedEvent & Success> {
  const [created] = await insertEvents(query, [checkEvent(event, environment)], () => []);
  if (created === undefined) throw new Error('no event was created');
  return { message: 'success', ...created };
}

/** Schedules all events or none, in one statement: `{ message: "success", events: [{ event_id, scheduled_time }] }`. */
export async function createScheduledEvents(
  query: Query,
  args: CreateScheduledEvents,
  environment: Environment,
): Promise<CreatedEvents> {
  const { events: inputs } = args;
  const pathOf = (index: number): readonly PropertyKey[] => ['events', index];
  const events = inputs.map((event, index) => checkEvent(event, environment, pathOf(index)));
  rejectRepeatedKeys(events);
  return { message: 'success', events: await insertEvents(query, events, pathOf) };
}

function rejectRepeatedKeys(events: readonly CheckedEvent[]): void {
  const seen = new Map<string, number>();
  events.forEach(({ key }, index) => {
    if (key === null) return;
    const first = seen.get(key);
    if (first !== undefined) rejectArgument(`is the key of events[${first}] as well`, ['events', index, 'key']);
    seen.set(key, index);
  });
}

const columns = `id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment`;
const insertText = `insert into joinery.scheduled_events (${columns}, ordering_key, retry_policy, delivery)
  select id, webhook, schedule_at, payload::json, headers::json, num_retries, retry_interval_seconds, timeout_seconds,
    tolerance_seconds, comment, ordering_key, retry_policy::json, delivery::json
  from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[], $7::integer[],
    $8::integer[], $9::integer[], $10::text[], $11::text[], $12::text[], $13::text[]
  ) as given (${columns}, ordering_key, retry_policy, delivery)`;
const insertKeyedText = `select place, event_id,
    (select to_char(coalesce(p.schedule_at, d.schedule_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')
      from (select) one
        left join joinery.scheduled_events p on p.id = event_id left join joinery.processed_events d on d.id = event_id)
  from joinery.insert_keyed_events($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::integer[],
    $7::integer[], $8::integer[], $9::integer[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])`;

async function insertEvents(
  query: Query,
  events: readonly CheckedEvent[],
  pathOf: (index: number) => readonly PropertyKey[],
): Promise<readonly CreatedEvent[]> {
  const created: CreatedEvent[] = events.map((event) => ({
    event_id: randomUUID(),
    scheduled_time: displayedTime(event.at),
  }));
  const retry = events.map((event) => event.retry);
  const firstColumns = [
    created.map((one) => one.event_id),
    events.map((event) => event.webhook),
    events.map((event) => event.at),
    events.map((event) => event.payload),
    events.map((event) => event.headers),
    retry.map((one) => one.numRetries),
    retry.map((one) => one.retryIntervalSeconds),
    retry.map((one) => one.timeoutSeconds),
    retry.map((one) => one.toleranceSeconds),
    events.map((event) => event.comment),
  ];
  const lastColumns = [
    events.map((event) => event.orderingKey),
    retry.map((one) => one.policy),
    events.map((event) => event.delivery),
  ];
  const keys = events.map((event) => event.key);
  if (keys.every((key) => key === null)) {
    await query({ text: insertText, values: [...firstColumns, ...lastColumns] });
    return created;
  }
  const found = await query({ text: insertKeyedText, values: [...firstColumns, keys, ...lastColumns] }).catch(
    (error: unknown) => {
      throw isPostgresError(error) && error.code === 'JY001'
        ? keyConflict(error.message, Number(error.detail) - 1, pathOf)
        : error;
    },
  );
  for (const [at, id, time] of found.rows) {
    created[Number(at) - 1] = { event_id: id ?? '', scheduled_time: utc(time ?? ''), existing: true };
  }
  return created;
}

function keyConflict(message: string, index: number, pathOf: (index: number) => readonly PropertyKey[]): ServiceError {
  const advice = 'use another key, or update_scheduled_event to change the event';
  return new ServiceError('already-exists', `${message}; ${advice}`, { path: argumentPath([...pathOf(index), 'key']) });
}

/** Formats a time such as `2026-09-01T08:00:00.000000Z` as lists do. */
function displayedTime(instant: string): string {
  return utc(instant.slice(0, -1));
}
