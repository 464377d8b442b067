/** Measures prepared statements, so that short ones may share a connection. */

export interface ShortStatements {
  /** Whether the last runs of the prepared statement were short. */
  isShort(name: string): boolean;
  /** Records a successful run. `lagMs` is how late the event loop handles responses at present. */
  measured(name: string, durationMs: number, lagMs: number): void;
}

/** Milliseconds of a run, without the lag of the event loop, beyond which it is not short. */
export const longestShortMs = 5;
/** Milliseconds beyond which a run is slow, and not only delayed by a busy machine. */
const slowMs = 20;
/** Short runs in a row before a statement is short. */
const runsBefore = 5;
/** Further short runs in a row after a slow one. */
const penalty = 50;

export function createShortStatements(): ShortStatements {
  /** Short runs in a row by name, up to `runsBefore`; below zero after a slow run. */
  const runs = new Map<string, number>();
  return {
    isShort: (name) => runs.get(name) === runsBefore,
    measured(name, durationMs, lagMs) {
      const known = runs.get(name) ?? 0;
      const ownMs = durationMs - 2 * lagMs;
      if (ownMs > slowMs) runs.set(name, -penalty);
      else if (ownMs > longestShortMs) runs.set(name, Math.min(known, 0));
      else if (known < runsBefore) runs.set(name, known + 1);
    },
  };
}
