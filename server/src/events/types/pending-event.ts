/** One pending event as a node holds it, and how it is read from its row. */
import type { Row } from '../../postgres/client/statement-run.ts';

export interface PendingEvent {
  readonly id: string;
  /** As written: templates are filled in when the call is made. */
  readonly webhook: string;
  /** The destination as far as it shows in `webhook`. */
  readonly lane: string;
  /** Milliseconds since 1970 by the database's clock; of the first call, then of the retry. */
  readonly dueAt: number;
  /** Milliseconds since 1970. Tolerance counts from here: its time, or when it was set to be delivered again. */
  readonly scheduledAt: number;
  /** UTC, as in `2026-09-01T08:00:00.250000`. */
  readonly scheduledTime: string;
  /** The like. */
  readonly createdAt: string;
  /** JSON text; undefined when it is large and has to be fetched. */
  readonly payload: string | undefined;
  /** JSON text of a list of written headers. */
  readonly headers: string;
  readonly comment: string | undefined;
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly toleranceSeconds: number;
  /** Calls made before. */
  readonly tries: number;
  /** Those of them that do not count for the budget of retries, as it was set to be delivered again since. */
  readonly triesBefore: number;
  /** JSON text of what `readRules` reads. */
  readonly retryRules: string | undefined;
  /** Events of one are called one after the other. */
  readonly orderingKey: string | undefined;
  /** JSON text of how the request is made up; undefined for the usual way. */
  readonly delivery: string | undefined;
  /** Of a cron event. */
  readonly triggerName?: string | undefined;
  /** The first call may be so late and no later; undefined where the tolerance alone decides. */
  readonly catchUpSeconds?: number | undefined;
}

/** Payloads beyond this many bytes are fetched one by one, so that a batch of them does not fill the memory. */
const INLINE_PAYLOAD = 16_384;

const isoTime = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
const milliseconds = (column: string): string => `extract(epoch from ${column}) * 1000`;

/** The select list that `readPending` reads. */
export const pendingColumns = `id, webhook, lane, ${milliseconds('due_at')}, ${milliseconds('coalesce(requeued_at, schedule_at)')},
  ${isoTime('schedule_at')}, ${isoTime('created_at')},
  case when payload_bytes <= ${INLINE_PAYLOAD} then payload end, headers, comment,
  num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds, tries,
  requeued_tries, retry_policy, ordering_key, trigger_name, catch_up_seconds, delivery`;

/** Of a row with the columns `pendingColumns`. */
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
