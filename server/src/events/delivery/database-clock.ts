/** Estimates the database's time from the local clock: never ahead of it, and behind it as little as possible. */

export interface DatabaseClock {
  /**
   * Adds an observation: the database's time was `databaseMs` at some moment between two readings of the local clock,
   * `sentAt` before the query and `receivedAt` after its result.
   */
  observe(sentAt: number, receivedAt: number, databaseMs: number): void;
  /** Milliseconds since 1970 by the database's clock; never later than the actual time. */
  now(): number;
  /** False until the first observation. */
  known(): boolean;
}

/** Assumed drift between two clocks: 500 parts per million, the maximum slew of time daemons. */
const DRIFT = 0.0005;

/**
 * Every observation bounds the offset of the two clocks from both sides. The largest lower bound counts, so that a slow
 * response does no harm; it decreases with time because clocks drift. An observation that contradicts it shows that the
 * database's clock was set back, or belongs to another machine after a failover, and replaces it.
 *
 * @param local a monotonic clock in milliseconds; also used in place of the database's until the first observation
 */
export function createDatabaseClock(local: () => number = () => performance.now()): DatabaseClock {
  let offset = Date.now() - local();
  let observedAt = Number.NEGATIVE_INFINITY;
  return {
    observe(sentAt, receivedAt, databaseMs) {
      const atLeast = databaseMs - receivedAt;
      const atMost = databaseMs - sentAt;
      const expected = offset - DRIFT * (receivedAt - observedAt);
      offset = expected > atMost || expected < atLeast ? atLeast : expected;
      observedAt = receivedAt;
    },
    known: () => Number.isFinite(observedAt),
    now: () => {
      const at = local();
      return at + offset - (Number.isFinite(observedAt) ? DRIFT * (at - observedAt) : 0);
    },
  };
}
