/** The commands that schedule one or many events. */

import { randomUUID } from 'node:crypto';
import type {
  CreatedEvent,
  CreatedEvents,
  CreateScheduledEvent,
  CreateScheduledEvents,
} from '@joinery/metadata/api/events/events';
import type { Success } from '@joinery/metadata/api/success';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Query, QueryResult } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { type FixedStatement, fixedStatement } from '../../postgres/sql/rows.ts';
import { ident, join, type Sql, sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import { type CheckedEvent, createEventCheck } from './checked-event.ts';
import { argumentPath, rejectArgument } from './rejected-argument.ts';

/**
 * Schedules an event: `{ message: "success", event_id, scheduled_time }`, with `existing: true` if an equal event with its
 * key exists. Throws the errors of `createEventCheck`, and `already-exists` for a different event with the key.
 */
export async function createScheduledEvent(
  query: Query,
  event: CreateScheduledEvent,
  environment: Environment,
): Promise<CreatedEvent & Success> {
  const [created] = await insertEvents(query, [createEventCheck(environment)(event, [])], () => []);
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
  const check = createEventCheck(environment);
  const events = inputs.map((event, index) => check(event, pathOf(index)));
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
const isJson: ReadonlySet<EventColumn> = new Set(['payload', 'headers', 'retry_policy', 'delivery']);

type ColumnValue = string | number | null;
type Columns = Readonly<Record<EventColumn, ColumnValue[]>>;

/**
 * Inserts the events. A column with one value for all events is a scalar of the statement, which is encoded and parsed once; most
 * requests have lists of ids, times and payloads only.
 */
function insert(query: Query, values: Columns): Promise<QueryResult> {
  const lists = columns.filter((name) => name === 'id' || !areEqual(values[name]));
  const given: Record<EventColumn, unknown> = { ...values };
  for (const name of columns) if (!lists.includes(name)) given[name] = values[name][0];
  if (lists.includes('payload')) given.payload = arrayOfJson(values.payload);
  return insertWith(lists).run(query, given);
}

/** The statements by the columns that are lists. */
const inserts = new LRUCache<string, FixedStatement<EventColumn, never>>({ max: 100 });

function insertWith(lists: readonly EventColumn[]): FixedStatement<EventColumn, never> {
  const known = inserts.get(lists.join());
  if (known !== undefined) return known;
  const statement = fixedStatement(columns, [], (given) => {
    const typed = lists.map((name) => sql`${given[name]}::${columnTypes[name]}[]`);
    const selected = columns.map((name) => {
      const value = lists.includes(name) ? ident(name) : sql`${given[name]}::${columnTypes[name]}`;
      return isJson.has(name) ? sql`${value}::json` : value;
    });
    return sql`insert into joinery.scheduled_events (${columnNames(columns)}) select ${join(selected, ', ')}
      from unnest(${join(typed, ', ')}) as given (${columnNames(lists)})`;
  });
  inserts.set(lists.join(), statement);
  return statement;
}

/**
 * Returns JSON texts as an array of PostgreSQL. JSON text has no control characters, so that the escapes of both are the same;
 * `JSON.stringify` takes a third of the time of a replacement.
 */
function arrayOfJson(texts: readonly ColumnValue[]): string {
  return `{${texts.map((text) => JSON.stringify(text)).join()}}`;
}

function columnNames(names: readonly EventColumn[]): Sql {
  return join(
    names.map((name) => ident(name)),
    ', ',
  );
}

function areEqual(values: readonly ColumnValue[]): boolean {
  return values.every((one) => one === values[0]);
}

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
  const created: CreatedEvent[] = [];
  const values: Columns = {
    id: [],
    webhook: [],
    schedule_at: [],
    payload: [],
    headers: [],
    num_retries: [],
    retry_interval_seconds: [],
    timeout_seconds: [],
    tolerance_seconds: [],
    comment: [],
    ordering_key: [],
    retry_policy: [],
    delivery: [],
  };
  for (const event of events) {
    const id = randomUUID();
    created.push({ event_id: id, scheduled_time: displayedTime(event.at) });
    const { retry } = event;
    values.id.push(id);
    values.webhook.push(event.webhook);
    values.schedule_at.push(event.at);
    values.payload.push(event.payload);
    values.headers.push(event.headers);
    values.num_retries.push(retry.numRetries);
    values.retry_interval_seconds.push(retry.retryIntervalSeconds);
    values.timeout_seconds.push(retry.timeoutSeconds);
    values.tolerance_seconds.push(retry.toleranceSeconds);
    values.comment.push(event.comment);
    values.ordering_key.push(event.orderingKey);
    values.retry_policy.push(retry.policy);
    values.delivery.push(event.delivery);
  }
  if (events.every(({ key }) => key === null)) {
    await insert(query, values);
    return created;
  }
  const key = events.map((event) => event.key);
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
