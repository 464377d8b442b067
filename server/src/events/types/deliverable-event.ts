/** An event as the delivery engine reads it, wherever it is stored. */

export interface DeliverableEvent {
  readonly id: string;
  /** As configured; `{{VARIABLE}}` templates are expanded when the call is made. */
  readonly webhook: string;
  /** The scheme and host of `webhook`, unexpanded; identifies the destination in the database. */
  readonly lane: string;
  /** When the next call is due: milliseconds since 1970 by the database's clock. */
  readonly dueAt: number;
  /** Start of the tolerance: the scheduled time or the last redelivery request, milliseconds since 1970. */
  readonly scheduledAt: number;
  /** JSON text; undefined for a large payload, which is fetched before the call. */
  readonly payload: string | undefined;
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  /** Infinite without a limit. */
  readonly toleranceSeconds: number;
  /** Number of earlier calls. */
  readonly tries: number;
  /** Earlier calls that do not count against the retry budget because the event was redelivered since. */
  readonly triesBefore: number;
  /** JSON text of additional retry rules; see `readRules`. */
  readonly retryRules: string | undefined;
  /** Events with the same key are called one after the other. */
  readonly orderingKey: string | undefined;
  /** Largest lateness of the first call; undefined if only the tolerance limits it. */
  readonly catchUpSeconds?: number | undefined;
}
