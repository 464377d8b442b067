/** The commands that schedule events: one, or many in one go. */
import { randomUUID } from 'node:crypto';
import { CreateScheduledEvents } from '@joinery/metadata/api/events';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/pool.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { utc } from '../webhook/envelope.ts';
import { jsonPath, readArguments, rejectArgument } from './arguments.ts';
import { type CheckedEvent, checkEvent } from './checked-event.ts';

type Answer = Readonly<Record<string, unknown>>;

/**
 * Schedules one event, in the transaction of `query` if it is in one: `{ message: "success", event_id, scheduled_time }`,
 * and `existing: true` where the event of its key was there already. Throws what `checkEvent` throws, and
 * `already-exists` where that event was created with something else.
 */
export async function createScheduledEvent(query: Query, args: unknown, environment: Environment): Promise<Answer> {
  const [created] = await insertEvents(query, [checkEvent(args, environment)], () => []);
  return { message: 'success', ...created };
}

/** All of them or none, in one statement: `{ message: "success", events: [{ event_id, scheduled_time }] }`, in order. */
export async function createScheduledEvents(query: Query, args: unknown, environment: Environment): Promise<Answer> {
  const { events: written } = readArguments(CreateScheduledEvents, args);
  const place = (index: number): readonly PropertyKey[] => ['events', index];
  const events = written.map((event, index) => checkEvent(event, environment, place(index)));
  refuseRepeatedKeys(events);
  return { message: 'success', events: await insertEvents(query, events, place) };
}

function refuseRepeatedKeys(events: readonly CheckedEvent[]): void {
  const seen = new Map<string, number>();
  events.forEach(({ key }, index) => {
    if (key === null) return;
    const first = seen.get(key);
    if (first !== undefined) rejectArgument(`is the key of events[${first}] as well`, ['events', index, 'key']);
    seen.set(key, index);
  });
}

interface Created {
  readonly event_id: string;
  /** UTC. */
  readonly scheduled_time: string;
  readonly existing?: true;
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
  place: (index: number) => readonly PropertyKey[],
): Promise<Created[]> {
  const created: Created[] = events.map((event) => ({ event_id: randomUUID(), scheduled_time: shown(event.at) }));
  const retry = events.map((event) => event.retry);
  const common = [
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
  const more = [
    events.map((event) => event.orderingKey),
    retry.map((one) => one.policy),
    events.map((event) => event.delivery),
  ];
  const keys = events.map((event) => event.key);
  if (keys.every((key) => key === null)) {
    await query({ text: insertText, values: [...common, ...more] });
    return created;
  }
  const found = await query({ text: insertKeyedText, values: [...common, keys, ...more] }).catch((error: unknown) => {
    throw isPostgresError(error) && error.code === 'JY001'
      ? taken(error.message, Number(error.detail) - 1, place)
      : error;
  });
  for (const [at, id, time] of found.rows) {
    created[Number(at) - 1] = { event_id: id ?? '', scheduled_time: utc(time ?? ''), existing: true };
  }
  return created;
}

function taken(message: string, index: number, place: (index: number) => readonly PropertyKey[]): ServiceError {
  const advice = 'use another key, or update_scheduled_event to change the event';
  return new ServiceError('already-exists', `${message}; ${advice}`, { path: jsonPath([...place(index), 'key']) });
}

/** `2026-09-01T08:00:00.000000Z` as lists show it. */
function shown(instant: string): string {
  return utc(instant.slice(0, -1));
}
