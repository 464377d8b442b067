/** Scheduled events as the API lists them, and one of them. */

import { type EventOrder, type EventSearch, GetScheduledEvents } from '@joinery/metadata/api/event-lists';
import { EventTarget } from '@joinery/metadata/api/events';
import type { EventDelivery } from '@joinery/metadata/schema/event-delivery';
import { ServiceError } from '../../base/errors.ts';
import { RawJson } from '../../base/json-value.ts';
import type { Query } from '../../postgres/client/pool.ts';
import type { Row } from '../../postgres/client/statement-run.ts';
import { empty, integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { utc } from '../webhook/envelope.ts';
import { isUuid, jsonPath, readArguments, rejectArgument } from './arguments.ts';
import { counted } from './counting.ts';
import { type Branch, branchesOf, isIndexed } from './search.ts';
import { run } from './statements.ts';

type Answer = Readonly<Record<string, unknown>>;

/** The column of a time as `utc` reads it. */
export const iso = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;

const shown = sql`event.id, ${iso(sql`event.schedule_at`)}, ${iso(sql`event.created_at`)}, event.comment, event.webhook,
  event.payload, event.headers, event.num_retries, event.retry_interval_seconds, event.timeout_seconds,
  event.tolerance_seconds, event.status, event.tries, ${iso(sql`event.next_retry_at`)}, event.trigger_name,
  event.ordering_key, event.retry_policy, event.delivery, named.key`;

const orderColumns: Readonly<Record<EventOrder['column'], Sql>> = {
  id: sql`id`,
  scheduled_time: sql`schedule_at`,
  created_at: sql`created_at`,
  next_retry_at: sql`next_retry_at`,
  status: sql`status`,
  tries: sql`tries`,
  comment: sql`comment`,
};

interface Order {
  /** Of rows that have the columns of a list, with `time` for that of the schedule. */
  readonly terms: (time: Sql) => Sql;
  /** In order of time alone, so that a page can begin where another ended. */
  readonly byTime: 'asc' | 'desc' | undefined;
}

/** The id at the end makes the order total, so that pages neither skip nor repeat. */
function orderOf(orders: readonly EventOrder[]): Order {
  const [first = { column: 'scheduled_time' as const }, ...others] = orders;
  const direction = first.type === 'desc' ? 'desc' : 'asc';
  const byTime = first.column === 'scheduled_time' && others.length === 0 ? direction : undefined;
  const terms = (time: Sql): Sql => join([...[first, ...others].map((order) => orderTerm(order, time)), sql`id`], ', ');
  return { terms, byTime };
}

function orderTerm({ column, type, nulls }: EventOrder, time: Sql): Sql {
  const direction = type === 'desc' ? sql` desc` : sql` asc`;
  const place = nulls === 'first' ? sql` nulls first` : nulls === 'last' ? sql` nulls last` : empty;
  // Never null; said otherwise, the index would not be seen to fit.
  return column === 'scheduled_time' ? sql`${time}${direction}` : sql`${orderColumns[column]}${direction}${place}`;
}

/** Rows of a list whose asker names no limit: a million events would not fit into the memory. */
export const DEFAULT_LIMIT = 10_000;

interface Cursor {
  readonly time: string;
  readonly id: string;
}

function printCursor({ time, id }: Cursor): string {
  return Buffer.from(`${time} ${id}`).toString('base64url');
}

function readCursor(text: string): Cursor {
  const [time = '', id = ''] = Buffer.from(text, 'base64url').toString().split(' ');
  if (!isUuid(id) || !/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(time))
    rejectArgument('must be what the page before gave as "next"', ['after']);
  return { time, id };
}

function beyond(after: Cursor, time: Sql, direction: 'asc' | 'desc'): Sql {
  const at = sql`${value(`${after.time}Z`)}::timestamptz`;
  const [inclusive, exclusive] = direction === 'asc' ? [sql`>=`, sql`>`] : [sql`<=`, sql`<`];
  // The first half is what the index is searched by.
  return sql`${time} ${inclusive} ${at} and (${time} ${exclusive} ${at} or e.id > ${value(after.id)}::uuid)`;
}

/**
 * `{ events, count?, next? }`: `count` when it was asked for, without regard to the page; `next` leads to the next page
 * of an ordering by time.
 */
export async function getScheduledEvents(query: Query, args: unknown): Promise<Answer> {
  const read = readArguments(GetScheduledEvents, args);
  const order = orderOf(read.order_by);
  const after = typeof read.after === 'string' ? readCursor(read.after) : undefined;
  if (after !== undefined && order.byTime === undefined)
    rejectArgument('goes with an order by scheduled_time only', ['after']);
  const branches = branchesOf(read);
  const limit = read.limit ?? DEFAULT_LIMIT;
  const offset = read.offset ?? 0;
  const count = await counted(query, read.get_rows_count, isIndexed(read), (most) =>
    union(branches, (branch) => {
      const some = most === undefined ? empty : sql` limit ${integer(most)}`;
      return sql`(select 1 from ${branch.table} e where ${branch.where}${some})`;
    }),
  );
  const pages = union(branches, (branch) => {
    const rest = after === undefined ? empty : sql` and ${beyond(after, branch.time, order.byTime ?? 'asc')}`;
    return sql`(select ${branch.columns} from ${branch.table} e where ${branch.where}${rest}
      order by ${order.terms(branch.time)} limit ${integer(limit + offset)})`;
  });
  const terms = order.terms(sql`schedule_at`);
  const page = sql`select * from (${pages}) event order by ${terms} limit ${integer(limit)} offset ${integer(offset)}`;
  const rows = limit === 0 ? [] : (await run(query, listed(page, terms))).rows;
  const last = rows.at(-1);
  const isFull = rows.length === limit && last !== undefined && order.byTime !== undefined;
  const next = isFull ? { next: printCursor({ id: last[0] ?? '', time: last[1] ?? '' }) } : {};
  return { ...count, events: rows.map(eventOf), ...next };
}

function union(branches: readonly Branch[], print: (branch: Branch) => Sql): Sql {
  return join(branches.map(print), ' union all ');
}

function listed(page: Sql, terms: Sql): Sql {
  const keys = sql`select k.key from joinery.event_keys k where k.event_id = event.id`;
  return sql`select ${shown} from (${page}) event left join lateral (${keys}) named on true order by ${terms}`;
}

/** `{ event }`. Throws `not-exists`. */
export async function getScheduledEvent(query: Query, args: unknown): Promise<Answer> {
  const { event_id, key } = readArguments(EventTarget, args);
  const byId = typeof event_id === 'string';
  if (!byId || isUuid(event_id)) {
    const id = byId
      ? sql`${value(event_id)}::uuid`
      : sql`(select k.event_id from joinery.event_keys k where k.key = ${value(key)})`;
    const branches = (['one_off', 'cron'] as const).flatMap((type) => branchesOf({ type } as EventSearch));
    const found = union(
      branches,
      (branch) => sql`(select ${branch.columns} from ${branch.table} e where e.id = ${id} and ${branch.where})`,
    );
    const [row] = (await run(query, listed(found, sql`id`))).rows;
    if (row !== undefined) return { event: eventOf(row) };
  }
  const name = byId ? `id "${event_id}"` : `key "${key}"`;
  throw new ServiceError('not-exists', `there is no event with the ${name}`, {
    path: jsonPath([byId ? 'event_id' : 'key']),
  });
}

function eventOf(row: Row): Answer {
  const [id, scheduledTime, createdAt, comment, webhook, payload, headers, ...rest] = row;
  const [numRetries, retryInterval, timeout, tolerance, status, tries, nextRetryAt, ...more] = rest;
  const [triggerName, orderingKey, policy, delivery, key] = more;
  const format = typeof delivery === 'string' ? (JSON.parse(delivery) as EventDelivery) : {};
  return {
    id,
    ...(triggerName !== null && { trigger_name: triggerName }),
    webhook_conf: webhook,
    scheduled_time: utc(scheduledTime ?? ''),
    retry_conf: {
      num_retries: Number(numRetries),
      retry_interval_seconds: Number(retryInterval),
      timeout_seconds: Number(timeout),
      tolerance_seconds: Number(tolerance),
      ...(typeof policy === 'string' && (JSON.parse(policy) as object)),
    },
    payload: new RawJson(payload ?? 'null'),
    header_conf: new RawJson(headers ?? '[]'),
    status,
    tries: Number(tries),
    created_at: utc(createdAt ?? ''),
    next_retry_at: typeof nextRetryAt === 'string' ? utc(nextRetryAt) : null,
    comment,
    ...(typeof key === 'string' && { key }),
    ...(typeof orderingKey === 'string' && { ordering_key: orderingKey }),
    ...(format.body && { body: format.body }),
    ...(format.signing !== undefined && { signing: format.signing }),
    request_transform: format.request_transform ?? null,
    response_transform: null,
  };
}
