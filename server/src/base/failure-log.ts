/** Says once that something fails, and once that it works again, however often it is tried in between. */
import type { Observe } from './telemetry/observe.ts';

export interface FailureLog {
  failed(error: unknown): void;
  recovered(): void;
}

/** FailureLog that lasts is told again after so long. */
const REPEAT_MS = 30_000;

export function createFailureLog(observe: Observe, where: string): FailureLog {
  let toldAt: number | undefined;
  return {
    failed(error) {
      const now = performance.now();
      if (toldAt !== undefined && now - toldAt < REPEAT_MS) return;
      toldAt = now;
      observe({ kind: 'failure', where, error });
    },
    recovered() {
      if (toldAt === undefined) return;
      toldAt = undefined;
      observe({ kind: 'note', level: 'info', where, message: 'works again' });
    },
  };
}
