/** What becomes of an event after a call: delivered, called again at a certain time, or given up. Pure. */

import type { PendingEvent } from '../types/pending-event.ts';
import type { Attempt } from '../webhook/attempt.ts';
import { isFinal, mayRetry, type Retried, readRules, waitMs } from './retry-rules.ts';

export type Outcome =
  | { readonly kind: 'delivered' | 'error' | 'dead' }
  /** `at`: milliseconds since 1970 by the database's clock. */
  | { readonly kind: 'retry'; readonly at: number };

/**
 * True when the event has become later than its tolerance allows and is not to be called any more. Whole seconds
 * count, as the tolerance is given in them: with a tolerance of 0, an event that is some milliseconds late is called.
 */
export function isTooLate(event: PendingEvent, now: number): boolean {
  return Math.floor((now - event.scheduledAt) / 1_000) > latestSeconds(event);
}

/** By how many seconds the next call may be late. A run that is not to be caught up with may be retried all the same. */
export function latestSeconds({ tries, triesBefore, catchUpSeconds, toleranceSeconds }: PendingEvent): number {
  const isFirst = tries === triesBefore;
  return isFirst && catchUpSeconds !== undefined ? Math.min(catchUpSeconds, toleranceSeconds) : toleranceSeconds;
}

/** `now`: the end of the call, milliseconds since 1970 by the database's clock. */
export function outcomeOf(event: PendingEvent, attempt: Attempt, now: number): Outcome {
  if (attempt.delivered) return { kind: 'delivered' };
  const rules = readRules(event.retryRules);
  const { numRetries, retryIntervalSeconds } = event;
  const retried: Retried = { numRetries, retryIntervalSeconds, retries: event.tries - event.triesBefore };
  if (!mayRetry(retried, rules) || isFinal(attempt.status, rules)) return { kind: 'error' };
  return { kind: 'retry', at: now + delayOf(event, attempt, now, () => waitMs(retried, rules)) };
}

/**
 * The destination's own wish comes before the configured wait, but not beyond the tolerance: a longer one is cut to the
 * last second in which the event may be called.
 */
function delayOf(event: PendingEvent, attempt: Attempt, now: number, configured: () => number): number {
  const wish = attempt.retryAfter === undefined ? undefined : readRetryAfter(attempt.retryAfter, now);
  if (wish === undefined) return configured();
  const lastCall = event.scheduledAt + event.toleranceSeconds * 1_000;
  return lastCall > now ? Math.min(wish, lastCall - now) : configured();
}

const weekday = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?';
const httpDate = new RegExp(`^${weekday},? .*\\d\\d:\\d\\d:\\d\\d`);

/** Milliseconds to wait; undefined for what is neither a positive number of seconds nor an HTTP date in the future. */
export function readRetryAfter(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const wait = /^\d{1,12}$/.test(trimmed)
    ? Number(trimmed) * 1_000
    : httpDate.test(trimmed)
      ? dateOf(trimmed) - now
      : Number.NaN;
  return wait > 0 ? wait : undefined;
}

/** The oldest of the three forms, `Sun Nov  6 08:49:37 1994`, names no zone; all three mean UTC. */
function dateOf(text: string): number {
  return Date.parse(/GMT|UTC|Z$/.test(text) ? text : `${text} GMT`);
}
