/** A pending event as a node claims it, and the columns that it is read from. */
import type { Row } from '../../postgres/client/statement-run.ts';

export interface PendingEvent {
  readonly id: string;
  /** As configured; `{{VARIABLE}}` templates are expanded when the call is made. */
  readonly webhook: string;
  /** The scheme and host of `webhook`, unexpanded; identifies the destination in the database. */
  readonly lane: string;
  /** When the next call is due: milliseconds since 1970 by the database's clock. */
  readonly dueAt: number;
  /** Start of the tolerance: the scheduled time or the last redelivery request, milliseconds since 1970. */
  readonly scheduledAt: number;
  /** In UTC, such as `2026-09-01T08:00:00.250000`. */
  readonly scheduledTime: string;
  /** In the format of `scheduledTime`. */
  readonly createdAt: string;
  /** JSON text; undefined for a large payload, which is fetched before the call. */
  readonly payload: string | undefined;
  /** JSON text of the configured headers. */
  readonly headers: string;
  readonly comment: string | undefined;
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly toleranceSeconds: number;
  /** Number of earlier calls. */
  readonly tries: number;
  /** Earlier calls that do not count against the retry budget because the event was redelivered since. */
  readonly triesBefore: number;
  /** JSON text of additional retry rules; see `readRules`. */
  readonly retryRules: string | undefined;
  /** Events with the same key are called one after the other. */
  readonly orderingKey: string | undefined;
  /** JSON text of the request format (body, signing, transform); undefined for the default format. */
  readonly delivery: string | undefined;
  /** The cron trigger, for a cron event. */
  readonly triggerName?: string | undefined;
  /** Largest lateness of the first call; undefined if only the tolerance limits it. */
  readonly catchUpSeconds?: number | undefined;
}

/** Larger payloads, in bytes, are fetched one at a time, which bounds the memory of a claim. */
const INLINE_PAYLOAD = 16_384;

const isoTime = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
const milliseconds = (column: string): string => `extract(epoch from ${column}) * 1000`;

/** The select list that `readPending` reads. */
export const pendingColumns = `id, webhook, lane, ${milliseconds('due_at')}, ${milliseconds('coalesce(requeued_at, schedule_at)')},
  ${isoTime('schedule_at')}, ${isoTime('created_at')},
  case when payload_bytes <= ${INLINE_PAYLOAD} then payload end, headers, comment,
  num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds, tries,
  requeued_tries, retry_policy, ordering_key, trigger_name, catch_up_seconds, delivery`;

/** Reads a row with the columns `pendingColumns`. */
export function readPending(row: Row): PendingEvent {
  const text = (index: number): string => row[index] ?? '';
  return {
    id: text(0),
    webhook: text(1),
    lane: text(2),
    dueAt: Number(row[3]),
    scheduledAt: Number(row[4]),
    scheduledTime: text(5),
    createdAt: text(6),
    payload: row[7] ?? undefined,
    headers: text(8),
    comment: row[9] ?? undefined,
    numRetries: Number(row[10]),
    retryIntervalSeconds: Number(row[11]),
    timeoutSeconds: Number(row[12]),
    toleranceSeconds: Number(row[13]),
    tries: Number(row[14]),
    triesBefore: Number(row[15]),
    retryRules: row[16] ?? undefined,
    orderingKey: row[17] ?? undefined,
    delivery: row[20] ?? undefined,
    triggerName: row[18] ?? undefined,
    catchUpSeconds: typeof row[19] === 'string' ? Number(row[19]) : undefined,
  };
}
