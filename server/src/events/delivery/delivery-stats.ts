/** Counts what a node delivers, and how late. */
import type { Outcome } from './retry-policy.ts';

export interface DeliveryStats {
  /** Leased and not yet due. */
  readonly waiting: number;
  /** Due, and waiting for a place at their destination. */
  readonly queued: number;
  /** Being called, or called and not yet written down. */
  readonly inFlight: number;
  /** Since the start of the node. */
  readonly calls: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  readonly dead: number;
  /** Outcomes that were not written, because the event was no longer ours. */
  readonly lost: number;
  /** Start of a call minus the time it was due, milliseconds, of the last calls (1,024 at most). */
  readonly lateness: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface DeliveryCounters {
  called(latenessMs: number): void;
  settled(kind: Outcome['kind'], ours: boolean): void;
  read(): Omit<DeliveryStats, 'waiting' | 'queued' | 'inFlight'>;
}

const REMEMBERED = 1_024;

export function createDeliveryCounters(): DeliveryCounters {
  const counts = { delivered: 0, retry: 0, error: 0, dead: 0 };
  const recent = new Float64Array(REMEMBERED);
  let calls = 0;
  let lost = 0;

  function lateness(): DeliveryStats['lateness'] {
    const sorted = recent.slice(0, Math.min(calls, REMEMBERED)).sort();
    const at = (share: number): number => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }

  return {
    called(latenessMs) {
      recent[calls % REMEMBERED] = latenessMs;
      calls += 1;
    },
    settled(kind, ours) {
      if (ours) counts[kind] += 1;
      else lost += 1;
    },
    read: () => ({
      calls,
      delivered: counts.delivered,
      retried: counts.retry,
      failed: counts.error,
      dead: counts.dead,
      lost,
      lateness: lateness(),
    }),
  };
}
