/** Counts the calls of a node and measures their lateness. */
import type { Outcome } from './retry-policy.ts';

export interface DeliveryStats {
  /** Claimed and not yet due. */
  readonly waiting: number;
  /** Due, and waiting for a slot of their destination. */
  readonly queued: number;
  /** Being called, or called with an unwritten outcome. */
  readonly inFlight: number;
  /** Calls since the start of the node. */
  readonly calls: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
  readonly dead: number;
  /** Outcomes that were not written because the claim was lost. */
  readonly lost: number;
  /** Start of the call minus its due time in milliseconds, over the last 1,024 calls. */
  readonly lateness: { readonly p50: number; readonly p99: number; readonly max: number };
}

export interface DeliveryCounters {
  called(latenessMs: number): void;
  settled(kind: Outcome['kind'], written: boolean): void;
  read(): Omit<DeliveryStats, 'waiting' | 'queued' | 'inFlight'>;
}

const SAMPLES = 1_024;

export function createDeliveryCounters(): DeliveryCounters {
  const counts = { delivered: 0, retry: 0, error: 0, dead: 0 };
  const recent = new Float64Array(SAMPLES);
  let calls = 0;
  let lost = 0;

  function lateness(): DeliveryStats['lateness'] {
    const sorted = recent.slice(0, Math.min(calls, SAMPLES)).sort();
    const at = (share: number): number => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }

  return {
    called(latenessMs) {
      recent[calls % SAMPLES] = latenessMs;
      calls += 1;
    },
    settled(kind, written) {
      if (written) counts[kind] += 1;
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
