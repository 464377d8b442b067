/** Throttles the log of an operation that is retried: one entry when it fails, one when it recovers. */
import type { Observe } from './telemetry/observe.ts';

export interface FailureLog {
  failed(error: unknown): void;
  recovered(): void;
}

/** A lasting failure is logged again after this time. */
const REPEAT_MS = 30_000;

export function createFailureLog(observe: Observe, where: string): FailureLog {
  let loggedAt: number | undefined;
  return {
    failed(error) {
      const now = performance.now();
      if (loggedAt !== undefined && now - loggedAt < REPEAT_MS) return;
      loggedAt = now;
      observe({ kind: 'failure', where, error });
    },
    recovered() {
      if (loggedAt === undefined) return;
      loggedAt = undefined;
      observe({ kind: 'note', level: 'info', where, message: 'works again' });
    },
  };
}
