/** Scheduled events and their calls as the API lists them. */
import type { EventOrder, GetScheduledEventInvocations, GetScheduledEvents } from '@joinery/metadata/events';
import { RawJson } from '../base/json.ts';
import type { Query } from '../postgres/pool.ts';
import { bind, compile, integer, join, type Sql, sql, value } from '../postgres/sql.ts';
import type { Row } from '../postgres/statement-run.ts';
import { isUuid } from './arguments.ts';
import { type Enveloped, envelope, utc, writtenHeaders } from './envelope.ts';

type Answer = Readonly<Record<string, unknown>>;

/** An event that a node holds is `locked` from its time on; before that it is still only scheduled. */
const pending = sql`select id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
    timeout_seconds, tolerance_seconds, comment, created_at, tries, next_retry_at,
    case when lease is not null and due_at <= clock_timestamp() then 'locked' else 'scheduled' end as status
  from joinery.scheduled_events`;
const processed = sql`select id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
    timeout_seconds, tolerance_seconds, comment, created_at, tries, null::timestamptz as next_retry_at, status
  from joinery.processed_events`;

const pendingStatuses: readonly string[] = ['scheduled', 'locked'];

function eventsWith(statuses: readonly string[]): Sql {
  const all = statuses.length === 0;
  const tables: Sql[] = [];
  if (all || statuses.some((status) => pendingStatuses.includes(status))) tables.push(pending);
  if (all || statuses.some((status) => !pendingStatuses.includes(status))) tables.push(processed);
  const union = join(tables, ' union all ');
  return all ? sql`(${union}) event` : sql`(${union}) event where status = any (${value(statuses)}::text[])`;
}

const iso = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;

const eventColumns = sql`id, ${iso(sql`schedule_at`)}, ${iso(sql`created_at`)}, comment, webhook, payload, headers,
  num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds, status, tries, ${iso(sql`next_retry_at`)}`;

const orderColumns: Readonly<Record<EventOrder['column'], Sql>> = {
  id: sql`id`,
  scheduled_time: sql`schedule_at`,
  created_at: sql`created_at`,
  next_retry_at: sql`next_retry_at`,
  status: sql`status`,
  tries: sql`tries`,
  comment: sql`comment`,
};

/** The id at the end makes the order total, so that pages neither skip nor repeat. */
function orderOf(orders: readonly EventOrder[]): Sql {
  const terms = orders.map(({ column, type, nulls }) => {
    const direction = type === 'desc' ? sql` desc` : sql` asc`;
    const place = nulls === 'first' ? sql` nulls first` : nulls === 'last' ? sql` nulls last` : sql``;
    return sql`${orderColumns[column]}${direction}${place}`;
  });
  return join([...(terms.length === 0 ? [sql`schedule_at`] : terms), sql`id`], ', ');
}

interface Page {
  readonly limit?: number | null | undefined;
  readonly offset?: number | null | undefined;
}

/** Rows of a list whose asker names no limit: a million events would not fit into the memory. */
const DEFAULT_LIMIT = 10_000;

function pageOf({ limit, offset }: Page): Sql {
  return sql` limit ${integer(limit ?? DEFAULT_LIMIT)} offset ${integer(offset ?? 0)}`;
}

async function rowsOf(query: Query, statement: Sql): Promise<readonly Row[]> {
  const compiled = compile(statement);
  const values = bind(compiled, { variables: {}, session: new Map(), missing: noSession });
  return (await query({ text: compiled.text, values })).rows;
}

function noSession(): never {
  throw new TypeError('these statements have no session variables');
}

async function countOf(query: Query, from: Sql, wanted: boolean): Promise<{ count?: number }> {
  if (!wanted) return {};
  const rows = await rowsOf(query, sql`select count(*) from ${from}`);
  return { count: Number(rows[0]?.[0]) };
}

/** `{ events, count? }`. */
export async function listEvents(query: Query, args: GetScheduledEvents): Promise<Answer> {
  const from = eventsWith([...new Set(args.status ?? [])]);
  const counted = await countOf(query, from, args.get_rows_count);
  const statement = sql`select ${eventColumns} from ${from} order by ${orderOf(args.order_by)}${pageOf(args)}`;
  const rows = await rowsOf(query, statement);
  return { ...counted, events: rows.map(eventOf) };
}

function eventOf(row: Row): Answer {
  const [id, scheduledTime, createdAt, comment, webhook, payload, headers, ...rest] = row;
  const [numRetries, retryInterval, timeout, tolerance, status, tries, nextRetryAt] = rest;
  return {
    id,
    webhook_conf: webhook,
    scheduled_time: utc(scheduledTime ?? ''),
    retry_conf: {
      num_retries: Number(numRetries),
      retry_interval_seconds: Number(retryInterval),
      timeout_seconds: Number(timeout),
      tolerance_seconds: Number(tolerance),
    },
    payload: new RawJson(payload ?? 'null'),
    header_conf: new RawJson(headers ?? '[]'),
    status,
    tries: Number(tries),
    created_at: utc(createdAt ?? ''),
    next_retry_at: typeof nextRetryAt === 'string' ? utc(nextRetryAt) : null,
    comment,
    request_transform: null,
    response_transform: null,
  };
}

const invocationColumns = sql`event.id, ${iso(sql`event.schedule_at`)}, ${iso(sql`event.created_at`)}, event.comment,
  event.payload, event.headers, log.id, log.status, ${iso(sql`log.created_at`)}, log.attempt, log.duration_ms,
  log.agent, log.response`;

const described = sql`select id, schedule_at, created_at, comment, payload, headers from joinery.scheduled_events
    where id = log.event_id
  union all select id, schedule_at, created_at, comment, payload, headers from joinery.processed_events
    where id = log.event_id`;

/** `{ invocations, count? }`. */
export async function listInvocations(query: Query, args: GetScheduledEventInvocations): Promise<Answer> {
  const { event_id } = args;
  // Compared as uuid, for the index; a text that is no uuid is the id of no event.
  const id = sql`${value(event_id)}::uuid`;
  const all = event_id === null || event_id === undefined;
  if (!all && !isUuid(event_id)) return { ...(args.get_rows_count && { count: 0 }), invocations: [] };
  const from = all ? sql`joinery.event_invocations log` : sql`joinery.event_invocations log where log.event_id = ${id}`;
  const counted = await countOf(query, from, args.get_rows_count);
  const newest = sql`select * from ${from} order by created_at desc, attempt desc, id${pageOf(args)}`;
  const statement = sql`select ${invocationColumns} from (${newest}) log cross join lateral (${described} limit 1) event
    order by log.created_at desc, log.attempt desc, log.id`;
  const rows = await rowsOf(query, statement);
  return { ...counted, invocations: rows.map(invocationOf) };
}

function invocationOf(row: Row): Answer {
  const [eventId, scheduledTime, eventCreatedAt, comment, payload, headers, ...log] = row;
  const [id, status, createdAt, attempt, durationMs, agent, response] = log;
  const event: Enveloped = {
    id: eventId ?? '',
    scheduledTime: scheduledTime ?? '',
    createdAt: eventCreatedAt ?? '',
    comment: comment ?? undefined,
  };
  return {
    id,
    event_id: eventId,
    status: status === null ? null : Number(status),
    created_at: utc(createdAt ?? ''),
    attempt: Number(attempt),
    duration_ms: Number(durationMs),
    request: {
      payload: new RawJson(envelope(event, payload ?? 'null')),
      headers: writtenHeaders(headers ?? '[]', agent ?? ''),
      version: '1',
    },
    response: new RawJson(response ?? 'null'),
  };
}
