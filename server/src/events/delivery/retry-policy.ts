/** Decides the outcome of an event after a call: delivered, retried at a given time, or failed. */

import type { DeliverableEvent } from '../types/deliverable-event.ts';
import type { Attempt } from '../webhook/attempt.ts';
import { isFinal, mayRetry, type Retried, readRules, waitMs } from './retry-rules.ts';

export type Outcome =
  | { readonly kind: 'delivered' | 'error' | 'dead' }
  /** `at`: time of the retry, milliseconds since 1970 by the database's clock. */
  | { readonly kind: 'retry'; readonly at: number };

/**
 * Whether the event is later than its tolerance allows, so that it must not be called. Lateness counts in whole seconds,
 * as the tolerance does: with a tolerance of 0, an event that is some milliseconds late is called.
 */
export function isTooLate(event: DeliverableEvent, now: number): boolean {
  return Math.floor((now - event.scheduledAt) / 1_000) > maxLatenessSeconds(event);
}

/** Returns the largest lateness of the next call in seconds. The catch-up limit applies to the first call only. */
export function maxLatenessSeconds({ tries, triesBefore, catchUpSeconds, toleranceSeconds }: DeliverableEvent): number {
  const isFirst = tries === triesBefore;
  return isFirst && catchUpSeconds !== undefined ? Math.min(catchUpSeconds, toleranceSeconds) : toleranceSeconds;
}

/** Returns the outcome of a call that ended at `now`, in milliseconds since 1970 by the database's clock. */
export function outcomeOf(event: DeliverableEvent, attempt: Attempt, now: number): Outcome {
  if (attempt.delivered) return { kind: 'delivered' };
  if (attempt.ending !== undefined) return { kind: attempt.ending };
  const rules = readRules(event.retryRules);
  const { numRetries, retryIntervalSeconds } = event;
  const retried: Retried = { numRetries, retryIntervalSeconds, retries: event.tries - event.triesBefore };
  if (!mayRetry(retried, rules) || isFinal(attempt.status, rules)) return { kind: 'error' };
  return { kind: 'retry', at: now + delayOf(event, attempt, now, () => waitMs(retried, rules)) };
}

/**
 * Returns the delay of the retry in milliseconds. `Retry-After` of the response overrides the configured delay, limited to
 * the last second of the tolerance.
 */
function delayOf(event: DeliverableEvent, attempt: Attempt, now: number, configured: () => number): number {
  const requested = attempt.retryAfter === undefined ? undefined : readRetryAfter(attempt.retryAfter, now);
  if (requested === undefined) return configured();
  const lastCall = event.scheduledAt + event.toleranceSeconds * 1_000;
  return lastCall > now ? Math.min(requested, lastCall - now) : configured();
}

const weekday = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?';
const httpDate = new RegExp(`^${weekday},? .*\\d\\d:\\d\\d:\\d\\d`);

/** Parses `Retry-After` to milliseconds; undefined unless it is a positive number of seconds or a future HTTP date. */
export function readRetryAfter(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const wait = /^\d{1,12}$/.test(trimmed)
    ? Number(trimmed) * 1_000
    : httpDate.test(trimmed)
      ? dateOf(trimmed) - now
      : Number.NaN;
  return wait > 0 ? wait : undefined;
}

/** Parses an HTTP date. The obsolete asctime format, `Sun Nov  6 08:49:37 1994`, names no zone and means UTC. */
function dateOf(text: string): number {
  return Date.parse(/GMT|UTC|Z$/.test(text) ? text : `${text} GMT`);
}
