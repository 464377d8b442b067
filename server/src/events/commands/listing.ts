/** The queries for scheduled events: a page of events, or one event. */

import { EventStatus, type EventTarget, type ScheduledEvent } from '@joinery/metadata/api/events/events';
import type {
  EventOrder,
  EventSearch,
  FoundEvent,
  GetScheduledEvents,
  RowCount,
  ScheduledEvents,
} from '@joinery/metadata/api/events/lists';
import type { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import type { CallTarget } from '@joinery/metadata/schema/events/targets';
import type { PartlyPrinted } from '../../base/json-value.ts';
import { RawJson } from '../../base/json-value.ts';
import type { Query, Row } from '../../postgres/client/statement-run.ts';
import { runStatement, selectList } from '../../postgres/sql/rows.ts';
import { empty, integer, join, type Sql, sql, value } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import { eventNotFound } from './change.ts';
import { counted } from './counting.ts';
import { isUuid, rejectArgument } from './rejected-argument.ts';
import { type Branch, branchesOf, isIndexed } from './search.ts';

const shown = selectList({
  id: sql`event.id`,
  scheduledTime: isoTime(sql`event.schedule_at`),
  createdAt: isoTime(sql`event.created_at`),
  comment: sql`event.comment`,
  webhook: sql`event.webhook`,
  payload: sql`event.payload`,
  headers: sql`event.headers`,
  numRetries: sql`event.num_retries`,
  retryInterval: sql`event.retry_interval_seconds`,
  timeout: sql`event.timeout_seconds`,
  tolerance: sql`event.tolerance_seconds`,
  status: sql`event.status`,
  tries: sql`event.tries`,
  nextRetryAt: isoTime(sql`event.next_retry_at`),
  triggerName: sql`event.trigger_name`,
  orderingKey: sql`event.ordering_key`,
  policy: sql`event.retry_policy`,
  delivery: sql`event.delivery`,
  key: sql`named.key`,
});
const { at } = shown;

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
  /** Returns the ORDER BY terms, with `time` for the scheduled time. */
  readonly terms: (time: Sql) => Sql;
  /** Direction if the order is by scheduled time only, which cursors require. */
  readonly byTime: 'asc' | 'desc' | undefined;
}

/** Appends the id to make the order total, so that pages neither skip nor repeat events. */
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
  // The column is never null. With a null order the planner would not use the index.
  return column === 'scheduled_time' ? sql`${time}${direction}` : sql`${orderColumns[column]}${direction}${place}`;
}

/** Limit of a list without `limit`, which bounds memory. */
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
    rejectArgument('must be "next" of the previous page', ['after']);
  return { time, id };
}

function afterCursor(after: Cursor, time: Sql, direction: 'asc' | 'desc'): Sql {
  const at = sql`${value(`${after.time}Z`)}::timestamptz`;
  const [inclusive, exclusive] = direction === 'asc' ? [sql`>=`, sql`>`] : [sql`<=`, sql`<`];
  // The first condition is the one that the index supports.
  return sql`${time} ${inclusive} ${at} and (${time} ${exclusive} ${at} or e.id > ${value(after.id)}::uuid)`;
}

export interface ListedEvents extends Partial<RowCount>, Pick<ScheduledEvents, 'next'> {
  readonly events: PartlyPrinted<ScheduledEvent>[];
}

/**
 * Returns `{ events, count?, next? }`: `count`, if requested, is the number of events on all pages; `next` is the cursor of
 * the next page in an order by time.
 */
export async function getScheduledEvents(query: Query, search: GetScheduledEvents): Promise<ListedEvents> {
  const order = orderOf(search.order_by);
  const after = typeof search.after === 'string' ? readCursor(search.after) : undefined;
  if (after !== undefined && order.byTime === undefined)
    rejectArgument('requires an order by scheduled_time only', ['after']);
  const branches = branchesOf(search);
  const limit = search.limit ?? DEFAULT_LIMIT;
  const offset = search.offset ?? 0;
  const count = await counted(query, search.get_rows_count, isIndexed(search), (most) =>
    union(branches, (branch) => {
      const limited = most === undefined ? empty : sql` limit ${integer(most)}`;
      return sql`(select 1 from ${branch.table} e where ${branch.where}${limited})`;
    }),
  );
  const pages = union(branches, (branch) => {
    const rest = after === undefined ? empty : sql` and ${afterCursor(after, branch.time, order.byTime ?? 'asc')}`;
    return sql`(select ${branch.columns} from ${branch.table} e where ${branch.where}${rest}
      order by ${order.terms(branch.time)} limit ${integer(limit + offset)})`;
  });
  const terms = order.terms(sql`schedule_at`);
  const page = sql`select * from (${pages}) event order by ${terms} limit ${integer(limit)} offset ${integer(offset)}`;
  const rows = limit === 0 ? [] : (await runStatement(query, listed(page, terms))).rows;
  const last = rows.at(-1);
  const isFull = rows.length === limit && last !== undefined && order.byTime !== undefined;
  const next = isFull ? { next: printCursor({ id: last[at.id] ?? '', time: last[at.scheduledTime] ?? '' }) } : {};
  return { ...count, events: rows.map(eventOf), ...next };
}

function union(branches: readonly Branch[], print: (branch: Branch) => Sql): Sql {
  return join(branches.map(print), ' union all ');
}

function listed(page: Sql, terms: Sql): Sql {
  const keys = sql`select k.key from joinery.event_keys k where k.event_id = event.id`;
  return sql`select ${shown.list} from (${page}) event left join lateral (${keys}) named on true order by ${terms}`;
}

/** Returns `{ event }`. Throws `not-exists`. */
export async function getScheduledEvent(
  query: Query,
  { event_id, key }: EventTarget,
): Promise<PartlyPrinted<FoundEvent>> {
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
    const [row] = (await runStatement(query, listed(found, sql`id`))).rows;
    if (row !== undefined) return { event: eventOf(row) };
  }
  throw eventNotFound({ event_id, key });
}

function eventOf(row: Row): PartlyPrinted<ScheduledEvent> {
  const triggerName = row[at.triggerName];
  const policy = row[at.policy];
  const key = row[at.key];
  const orderingKey = row[at.orderingKey];
  const delivery = row[at.delivery];
  const nextRetryAt = row[at.nextRetryAt];
  const format =
    typeof delivery === 'string' ? (JSON.parse(delivery) as EventDelivery & { readonly target?: CallTarget }) : {};
  return {
    id: row[at.id] ?? '',
    ...(typeof triggerName === 'string' && { trigger_name: triggerName }),
    webhook_conf: row[at.webhook] ?? '',
    ...(format.target && { target: format.target }),
    scheduled_time: utc(row[at.scheduledTime] ?? ''),
    retry_conf: {
      num_retries: Number(row[at.numRetries]),
      retry_interval_seconds: Number(row[at.retryInterval]),
      timeout_seconds: Number(row[at.timeout]),
      tolerance_seconds: Number(row[at.tolerance]),
      ...(typeof policy === 'string' && (JSON.parse(policy) as object)),
    },
    payload: new RawJson(row[at.payload] ?? 'null'),
    header_conf: new RawJson(row[at.headers] ?? '[]'),
    status: EventStatus.parse(row[at.status]),
    tries: Number(row[at.tries]),
    created_at: utc(row[at.createdAt] ?? ''),
    next_retry_at: typeof nextRetryAt === 'string' ? utc(nextRetryAt) : null,
    comment: row[at.comment] ?? null,
    ...(typeof key === 'string' && { key }),
    ...(typeof orderingKey === 'string' && { ordering_key: orderingKey }),
    ...(format.body && { body: format.body }),
    ...(format.signing !== undefined && { signing: format.signing }),
    request_transform: format.request_transform ?? null,
    response_transform: null,
  };
}
