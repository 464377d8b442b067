/**
 * Decides from which due time a claim reads the index of due events. While a transaction prevents vacuum, the index begins with the
 * entries of all events that were delivered meanwhile, and a claim from its start reads them again. Claims of a backlog therefore
 * start at the earliest event of the last claim. Events may become free behind it, so that a claim from the start follows after a
 * short time. New events are due now or later, and claims never start after a second ago, so that none of them waits.
 */
import type { DeliverableEvent } from '../types/deliverable-event.ts';

export interface ClaimRange {
  /** Returns the due time from which the next claim reads, in milliseconds since 1970; negative infinity for all events. */
  start(exceptQueues: readonly string[]): number;
  /** Reports the events that the claim has returned. */
  claimed(exceptQueues: readonly string[], events: readonly DeliverableEvent[]): void;
  /** Returns the milliseconds until a claim reads all events; undefined if the last claim did. */
  claimAgainMs(): number | undefined;
}

/** Longest time between two claims of all events, in milliseconds. */
const ALL_EVERY_MS = 500;
/** Claims read at least the events of this time, in milliseconds: a transaction may commit some time after its time. */
const LEAST_MS = 1_000;

/**
 * @param time the clock of the database, milliseconds since 1970
 * @param now a monotonic clock in milliseconds
 */
export function createClaimRange(time: () => number, now: () => number = () => performance.now()): ClaimRange {
  let from = Number.NEGATIVE_INFINITY;
  let allAt = Number.NEGATIVE_INFINITY;
  let readsAll = true;
  /** Queues that were excluded when the start moved: their events may be earlier. */
  let passed = new Set<string>();

  return {
    start(exceptQueues) {
      const excluded = new Set(exceptQueues);
      const isReopened = [...passed].some((queue) => !excluded.has(queue));
      readsAll = isReopened || now() - allAt >= ALL_EVERY_MS;
      if (readsAll) allAt = now();
      return readsAll ? Number.NEGATIVE_INFINITY : from;
    },
    claimed(exceptQueues, events) {
      if (readsAll) passed = new Set(exceptQueues);
      let first = Number.POSITIVE_INFINITY;
      for (const { dueAt, orderingKey } of events) if (orderingKey === undefined && dueAt < first) first = dueAt;
      if (first === Number.POSITIVE_INFINITY) return;
      // Whole milliseconds: the due time has been converted to a double.
      first = Math.min(Math.floor(first) - 1, time() - LEAST_MS);
      if (!readsAll && first <= from) return;
      from = first;
      for (const queue of exceptQueues) passed.add(queue);
    },
    claimAgainMs: () => (readsAll ? undefined : Math.max(allAt + ALL_EVERY_MS - now(), 1)),
  };
}
