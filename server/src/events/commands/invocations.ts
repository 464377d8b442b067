/** The query for the calls of events. */

import type {
  GetScheduledEventInvocations,
  Invocation,
  Invocations,
  RowCount,
} from '@joinery/metadata/api/events/lists';
import { type PartlyPrinted, parseJson, printJson, RawJson } from '../../base/json-value.ts';
import type { Query, Row } from '../../postgres/client/statement-run.ts';
import { runStatement, selectList } from '../../postgres/sql/rows.ts';
import { empty, integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { configuredHeaders, type EnvelopeEvent, envelope, utc } from '../webhook/envelope.ts';
import { readSent, waitedBefore } from '../webhook/sent-request.ts';
import { areUnsuccessful, ofStatuses, responseContains, unsuccessful } from './call-filters.ts';
import { counted } from './counting.ts';
import { DEFAULT_LIMIT } from './listing.ts';
import { whileEvent } from './log-times.ts';
import { isUuid, rejectArgument } from './rejected-argument.ts';
import { destinationName, destinationOf } from './search.ts';

const shown = selectList({
  id: sql`log.id`,
  status: sql`log.status`,
  createdAt: isoTime(sql`log.created_at`),
  attempt: sql`log.attempt`,
  durationMs: sql`log.duration_ms`,
  agent: sql`log.agent`,
  request: sql`log.request`,
  response: sql`log.response`,
  eventId: sql`event.id`,
  scheduledTime: isoTime(sql`event.schedule_at`),
  eventCreatedAt: isoTime(sql`event.created_at`),
  comment: sql`event.comment`,
  payload: sql`event.payload`,
  headers: sql`event.headers`,
  triggerName: sql`event.trigger_name`,
  bare: sql`event.bare`,
});
const { at } = shown;

const columns = sql`id, schedule_at, created_at, comment, payload, headers, trigger_name,
  delivery ->> 'body' = 'payload' as bare`;
const described = sql`select ${columns} from joinery.scheduled_events where id = log.event_id
  union all select ${columns} from joinery.processed_events where id = log.event_id`;

export interface ListedInvocations extends Partial<RowCount>, Pick<Invocations, 'next'> {
  readonly invocations: PartlyPrinted<Invocation>[];
}

/** Returns `{ invocations, count?, next? }`, the latest first. */
export async function getScheduledEventInvocations(
  query: Query,
  search: GetScheduledEventInvocations,
): Promise<ListedInvocations> {
  const { event_id, type, trigger_name, key, after, ...page } = search;
  const limit = page.limit ?? DEFAULT_LIMIT;
  if (typeof event_id === 'string' && !isUuid(event_id)) {
    return { ...(page.get_rows_count !== false && { count: 0 }), invocations: [] };
  }
  const conditions: Sql[] = [sql`true`, ...callConditions(search)];
  if (typeof event_id === 'string') {
    conditions.push(...ofOne(sql`${value(event_id)}::uuid`), kindOf(type, undefined));
  } else {
    if (typeof key === 'string') {
      conditions.push(...ofOne(sql`(select k.event_id from joinery.event_keys k where k.key = ${value(key)})`));
    }
    conditions.push(kindOf(type, trigger_name ?? undefined));
  }
  const from = (and: Sql): Sql => sql`from joinery.event_invocations log where ${join(conditions, ' and ')}${and}`;
  // Counting some thousands of calls exactly is fast for one event only.
  const isOne = typeof event_id === 'string' || typeof key === 'string';
  const count = await counted(
    query,
    page.get_rows_count,
    isOne,
    (most) => sql`select 1 ${from(most === undefined ? empty : sql` limit ${integer(most)}`)}`,
    isOne ? undefined : ofKind(type, trigger_name ?? undefined, callConditions(search, false)),
  );
  const order = sql`log.created_at desc, log.attempt desc, log.id`;
  const newest = sql`select log.* ${from(typeof after === 'string' ? before(readCursor(after)) : empty)}
    order by ${order} limit ${integer(limit)} offset ${integer(page.offset ?? 0)}`;
  const statement = sql`select ${shown.list} from (${newest}) log join lateral (${described}) event on true order by ${order}`;
  const rows = limit === 0 ? [] : (await runStatement(query, statement)).rows;
  const last = rows.at(-1);
  const next = last !== undefined && rows.length === limit ? { next: printCursor(last) } : {};
  return { ...count, invocations: rows.map(invocationOf), ...next };
}

function ofOne(id: Sql): readonly Sql[] {
  return [sql`log.event_id = ${id}`, whileEvent(id)];
}

/** The search as a join, which the planner estimates better. Calls of pending events are few and ignored. */
function ofKind(type: 'one_off' | 'cron', triggerName: string | undefined, conditions: readonly Sql[]): Sql {
  const kind = sql`e.trigger_name is ${type === 'cron' ? sql`not null` : sql`null`}`;
  const name = triggerName === undefined ? empty : sql` and e.trigger_name = ${value(triggerName)}`;
  return sql`select 1 from joinery.event_invocations log join joinery.processed_events e on e.id = log.event_id
    where ${join([kind, ...conditions], ' and ')}${name}`;
}

/** The condition for calls of one-off events or of cron events. */
function kindOf(type: 'one_off' | 'cron', triggerName: string | undefined): Sql {
  const name = triggerName === undefined ? empty : sql` and e.trigger_name = ${value(triggerName)}`;
  const ofCron = (table: Sql): Sql =>
    sql`exists (select from ${table} e where e.id = log.event_id and e.trigger_name is not null${name})`;
  const cron = sql`(${ofCron(sql`joinery.scheduled_events`)} or ${ofCron(sql`joinery.processed_events`)})`;
  if (type === 'cron') return cron;
  // One-off events have no trigger.
  return triggerName === undefined ? sql`not ${cron}` : sql`false`;
}

/** The cursor consists of the time of the log entry, the attempt and the id. */
function printCursor(row: Row): string {
  return Buffer.from(`${row[at.createdAt]} ${row[at.attempt]} ${row[at.id]}`).toString('base64url');
}

function readCursor(text: string): readonly [string, number, string] {
  const [time = '', attempt = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ');
  if (!isUuid(id) || !/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(time) || !/^\d{1,9}$/.test(attempt)) {
    rejectArgument('must be "next" of the previous page', ['after']);
  }
  return [time, Number(attempt), id];
}

function before([time, attempt, id]: readonly [string, number, string]): Sql {
  const at = sql`${value(`${time}Z`)}::timestamptz`;
  const afterTie = sql`log.attempt < ${integer(attempt)} or (log.attempt = ${integer(attempt)} and log.id > ${value(id)}::uuid)`;
  return sql` and log.created_at <= ${at} and (log.created_at < ${at} or ${afterTie})`;
}

function invocationOf(row: Row): PartlyPrinted<Invocation> {
  const payload = row[at.payload] ?? 'null';
  const event: EnvelopeEvent = {
    id: row[at.eventId] ?? '',
    scheduledTime: row[at.scheduledTime] ?? '',
    createdAt: row[at.eventCreatedAt] ?? '',
    comment: row[at.comment] ?? undefined,
    triggerName: row[at.triggerName] ?? undefined,
  };
  const logged = parseJson(row[at.request] ?? '{}') as LoggedRequest;
  return {
    id: row[at.id] ?? '',
    event_id: row[at.eventId] ?? '',
    status: row[at.status] === null ? null : Number(row[at.status]),
    created_at: utc(row[at.createdAt] ?? ''),
    attempt: Number(row[at.attempt]),
    duration_ms: Number(row[at.durationMs]),
    ...waitedBefore(logged.waited_ms),
    request: requestOf(row, logged, event, payload),
    response: new RawJson(row[at.response] ?? 'null'),
  };
}

/** What a call has logged of its request. */
interface LoggedRequest {
  readonly payload?: unknown;
  readonly sent?: unknown;
  readonly waited_ms?: unknown;
  /** The event as it was before a change that followed the call. */
  readonly former?: {
    readonly scheduled_time: string;
    readonly comment: string | null;
    /** JSON texts. */
    readonly payload: string;
    readonly headers: string;
    readonly bare: boolean;
  };
}

/** The request of a target is logged; that of a webhook follows from the event and what its call has logged. */
function requestOf(
  row: Row,
  logged: LoggedRequest,
  present: EnvelopeEvent,
  payload: string,
): PartlyPrinted<Invocation>['request'] {
  if (logged.payload !== undefined) {
    return { payload: new RawJson(printJson(logged.payload)), headers: [], version: '1' };
  }
  const { former } = logged;
  const event =
    former === undefined
      ? present
      : { ...present, scheduledTime: former.scheduled_time, comment: former.comment ?? undefined };
  const bare = former === undefined ? row[at.bare] === 't' : former.bare;
  const sentPayload = former?.payload ?? payload;
  const body = bare ? sentPayload : envelope(event, sentPayload);
  const agent = row[at.agent] ?? '';
  const sent = readSent(logged.sent, { id: event.id, attempt: Number(row[at.attempt]), agent, body });
  return {
    payload: new RawJson(body),
    headers: configuredHeaders(former?.headers ?? row[at.headers] ?? '[]', agent),
    version: '1',
    ...(sent !== undefined && { sent }),
  };
}

type Search = Pick<GetScheduledEventInvocations, 'status' | 'from' | 'until' | 'destination' | 'text'>;

/** `forIndex`: adds a redundant condition that enables an index, but would distort an estimate. */
function callConditions(search: Search, forIndex = true): readonly Sql[] {
  const { status, from, until, destination, text } = search;
  const conditions: Sql[] = [];
  if (status !== null && status !== undefined && status.length > 0) {
    conditions.push(ofStatuses(status));
    if (forIndex && areUnsuccessful(status)) conditions.push(unsuccessful);
  }
  if (typeof from === 'string') conditions.push(sql`log.created_at >= ${value(from)}::timestamptz`);
  if (typeof until === 'string') conditions.push(sql`log.created_at < ${value(until)}::timestamptz`);
  if (typeof destination === 'string') {
    conditions.push(sql`${ofEvent(destinationOf)} = ${value(destinationName(destination))}`);
  }
  if (typeof text === 'string') {
    const inPayload = sql`position(lower(${value(text)}) in lower(${ofEvent(sql`e.payload::text`)})) > 0`;
    conditions.push(sql`(${responseContains(text)} or ${inPayload})`);
  }
  return conditions;
}

/** Subqueries are evaluated for each call; the planner might hash all events for an `exists`. */
function ofEvent(column: Sql): Sql {
  const select = (table: Sql): Sql => sql`(select ${column} from ${table} e where e.id = log.event_id)`;
  return sql`coalesce(${select(sql`joinery.processed_events`)}, ${select(sql`joinery.scheduled_events`)})`;
}
