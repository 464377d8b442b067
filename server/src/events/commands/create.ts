/** The commands that schedule one or many events. */

import { randomUUID } from 'node:crypto';
import type {
  CreatedEvent,
  CreatedEvents,
  CreateScheduledEvent,
  CreateScheduledEvents,
} from '@joinery/metadata/api/events/events';
import type { Success } from '@joinery/metadata/api/success';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { ident, join, type Sql, sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
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

/** The columns of an event with their types; each value is the list of all events. */
const columnTypes = {
  id: sql`uuid`,
  webhook: sql`text`,
  schedule_at: sql`timestamptz`,
  payload: sql`text`,
  headers: sql`text`,
  num_retries: sql`integer`,
  retry_interval_seconds: sql`integer`,
  timeout_seconds: sql`integer`,
  tolerance_seconds: sql`integer`,
  comment: sql`text`,
  ordering_key: sql`text`,
  retry_policy: sql`text`,
  delivery: sql`text`,
} as const;
type EventColumn = keyof typeof columnTypes;
const columns = Object.keys(columnTypes) as EventColumn[];
const columnNames = join(
  columns.map((name) => ident(name)),
  ', ',
);
const isJson: ReadonlySet<EventColumn> = new Set(['payload', 'headers', 'retry_policy', 'delivery']);

const insert = fixedStatement(columns, [], (given) => {
  const values = columns.map((name) => (isJson.has(name) ? sql`${ident(name)}::json` : ident(name)));
  const lists = columns.map((name) => sql`${given[name]}::${columnTypes[name]}[]`);
  return sql`insert into joinery.scheduled_events (${columnNames}) select ${join(values, ', ')}
    from unnest(${join(lists, ', ')}) as given (${columnNames})`;
});

const insertKeyed = fixedStatement([...columns, 'key'], ['place', 'event_id', 'time'], (given) => {
  const list = (name: EventColumn): Sql => sql`${given[name]}::${columnTypes[name]}[]`;
  const at = columns.indexOf('ordering_key');
  const lists = [...columns.slice(0, at).map(list), sql`${given.key}::text[]`, ...columns.slice(at).map(list)];
  return sql`select place, event_id,
      (select ${isoTime(sql`coalesce(p.schedule_at, d.schedule_at)`)}
        from (select) one
          left join joinery.scheduled_events p on p.id = event_id left join joinery.processed_events d on d.id = event_id
      ) as time
    from joinery.insert_keyed_events(${join(lists, ', ')})`;
});

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
  const values = {
    id: created.map((one) => one.event_id),
    webhook: events.map((event) => event.webhook),
    schedule_at: events.map((event) => event.at),
    payload: events.map((event) => event.payload),
    headers: events.map((event) => event.headers),
    num_retries: retry.map((one) => one.numRetries),
    retry_interval_seconds: retry.map((one) => one.retryIntervalSeconds),
    timeout_seconds: retry.map((one) => one.timeoutSeconds),
    tolerance_seconds: retry.map((one) => one.toleranceSeconds),
    comment: events.map((event) => event.comment),
    ordering_key: events.map((event) => event.orderingKey),
    retry_policy: retry.map((one) => one.policy),
    delivery: events.map((event) => event.delivery),
  };
  const key = events.map((event) => event.key);
  if (key.every((one) => one === null)) {
    await insert.run(query, values);
    return created;
  }
  const existing = await insertKeyed.rows(query, { ...values, key }).catch((error: unknown) => {
    throw isPostgresError(error) && error.code === 'JY001'
      ? keyConflict(error.message, Number(error.detail) - 1, pathOf)
      : error;
  });
  for (const { place, event_id, time } of existing) {
    created[Number(place) - 1] = { event_id: event_id ?? '', scheduled_time: utc(time ?? ''), existing: true };
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
