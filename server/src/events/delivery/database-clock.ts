/** What time the database has, told from the local clock: never ahead of it, and behind it by no more than must be. */

export interface DatabaseClock {
  /**
   * Takes in that the database had `databaseMs` at some moment between two readings of the local clock, the one before
   * asking and the one after the answer.
   */
  observe(askedAt: number, answeredAt: number, databaseMs: number): void;
  /** Milliseconds since 1970 by the database's clock, at most the true ones. */
  now(): number;
  /** False until the first observation. */
  known(): boolean;
}

/** By how much two clocks may drift apart: 500 parts in a million, the most that time daemons slew. */
const DRIFT = 0.0005;

/**
 * Every observation bounds the distance of the two clocks from both sides. The largest lower bound is kept, so that a
 * late answer does no harm; it gives way a little with time, because clocks drift. An observation that contradicts it
 * shows that the database's clock was set back (or is another machine's since a failover) and starts anew.
 *
 * @param local a monotonic clock in milliseconds; it also stands in for the database's until the first observation
 */
export function createDatabaseClock(local: () => number = () => performance.now()): DatabaseClock {
  let distance = Date.now() - local();
  let observedAt = Number.NEGATIVE_INFINITY;
  return {
    observe(askedAt, answeredAt, databaseMs) {
      const atLeast = databaseMs - answeredAt;
      const atMost = databaseMs - askedAt;
      const kept = distance - DRIFT * (answeredAt - observedAt);
      distance = kept > atMost || kept < atLeast ? atLeast : kept;
      observedAt = answeredAt;
    },
    known: () => Number.isFinite(observedAt),
    now: () => local() + distance - (Number.isFinite(observedAt) ? DRIFT * (local() - observedAt) : 0),
  };
}
