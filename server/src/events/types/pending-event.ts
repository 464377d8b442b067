/** A pending scheduled event as a node claims it, and the columns that it is read from. */

import type { Row } from '../../postgres/client/statement-run.ts';
import { selectList } from '../../postgres/sql/rows.ts';
import { integer, type Sql, sql } from '../../postgres/sql/sql.ts';
import type { DeliverableEvent } from './deliverable-event.ts';

export interface PendingEvent extends DeliverableEvent {
  /** In UTC, such as `2026-09-01T08:00:00.250000`. */
  readonly scheduledTime: string;
  /** In the format of `scheduledTime`. */
  readonly createdAt: string;
  /** JSON text of the configured headers. */
  readonly headers: string;
  readonly comment: string | undefined;
  /** JSON text of the request format (body, signing, transform); undefined for the default format. */
  readonly delivery: string | undefined;
  /** The cron trigger, for a cron event. */
  readonly triggerName?: string | undefined;
}

/** Larger payloads, in bytes, are fetched one at a time, which bounds the memory of a claim. */
const INLINE_PAYLOAD = 16_384;

/** Prints a timestamp in the format of `PendingEvent.scheduledTime`. */
export const isoTime = (column: Sql): Sql => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
const milliseconds = (column: Sql): Sql => sql`extract(epoch from ${column}) * 1000`;

/** The select list that `readPending` reads by position: objects with names would add 1 ms to a claim of 250 events. */
export const pendingColumns = selectList({
  id: sql`id`,
  webhook: sql`webhook`,
  lane: sql`lane`,
  dueAt: milliseconds(sql`due_at`),
  scheduledAt: milliseconds(sql`coalesce(requeued_at, schedule_at)`),
  scheduledTime: isoTime(sql`schedule_at`),
  createdAt: isoTime(sql`created_at`),
  payload: sql`case when payload_bytes <= ${integer(INLINE_PAYLOAD)} then payload end`,
  headers: sql`headers`,
  comment: sql`comment`,
  numRetries: sql`num_retries`,
  retryIntervalSeconds: sql`retry_interval_seconds`,
  timeoutSeconds: sql`timeout_seconds`,
  toleranceSeconds: sql`tolerance_seconds`,
  tries: sql`tries`,
  triesBefore: sql`requeued_tries`,
  retryRules: sql`retry_policy`,
  orderingKey: sql`ordering_key`,
  triggerName: sql`trigger_name`,
  catchUpSeconds: sql`catch_up_seconds`,
  delivery: sql`delivery`,
});
const { at } = pendingColumns;

/** Reads a row with the columns `pendingColumns`. */
export function readPending(row: Row): PendingEvent {
  const catchUpSeconds = row[at.catchUpSeconds];
  return {
    id: row[at.id] ?? '',
    webhook: row[at.webhook] ?? '',
    lane: row[at.lane] ?? '',
    dueAt: Number(row[at.dueAt]),
    scheduledAt: Number(row[at.scheduledAt]),
    scheduledTime: row[at.scheduledTime] ?? '',
    createdAt: row[at.createdAt] ?? '',
    payload: row[at.payload] ?? undefined,
    headers: row[at.headers] ?? '',
    comment: row[at.comment] ?? undefined,
    numRetries: Number(row[at.numRetries]),
    retryIntervalSeconds: Number(row[at.retryIntervalSeconds]),
    timeoutSeconds: Number(row[at.timeoutSeconds]),
    toleranceSeconds: Number(row[at.toleranceSeconds]),
    tries: Number(row[at.tries]),
    triesBefore: Number(row[at.triesBefore]),
    retryRules: row[at.retryRules] ?? undefined,
    orderingKey: row[at.orderingKey] ?? undefined,
    delivery: row[at.delivery] ?? undefined,
    triggerName: row[at.triggerName] ?? undefined,
    catchUpSeconds: typeof catchUpSeconds === 'string' ? Number(catchUpSeconds) : undefined,
  };
}
