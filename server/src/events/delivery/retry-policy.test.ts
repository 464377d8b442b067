import { describe, expect, test } from 'vitest';
import { pendingEvent, dueAt as scheduledAt } from '../../../test/support/events/pending-event.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { isTooLate, outcomeOf, readRetryAfter } from './retry-policy.ts';

function eventOf(changes: Partial<PendingEvent> = {}): PendingEvent {
  return pendingEvent({ numRetries: 2, ...changes });
}

function response(status: number | undefined, retryAfter?: string) {
  const delivered = status !== undefined && status < 300;
  return { delivered, startedAt: scheduledAt, durationMs: 5, status, response: '{}', retryAfter, health: undefined };
}

describe('the outcome of a call', () => {
  test('is `delivered` after a success', () => {
    expect(outcomeOf(eventOf(), response(204), scheduledAt)).toEqual({ kind: 'delivered' });
  });

  test('is a retry after the interval up to the configured number of retries, then an error', () => {
    const now = scheduledAt + 500;
    expect(outcomeOf(eventOf({ tries: 0 }), response(503), now)).toEqual({ kind: 'retry', at: now + 10_000 });
    expect(outcomeOf(eventOf({ tries: 1 }), response(undefined), now)).toEqual({ kind: 'retry', at: now + 10_000 });
    expect(outcomeOf(eventOf({ tries: 2 }), response(503), now)).toEqual({ kind: 'error' });
  });

  test('is an immediate retry with an interval of 0', () => {
    expect(outcomeOf(eventOf({ retryIntervalSeconds: 0 }), response(500), scheduledAt)).toEqual({
      kind: 'retry',
      at: scheduledAt,
    });
  });

  test('is a retry after `Retry-After`, whether longer or shorter than the interval', () => {
    expect(outcomeOf(eventOf(), response(429, '120'), scheduledAt)).toEqual({
      kind: 'retry',
      at: scheduledAt + 120_000,
    });
    expect(outcomeOf(eventOf(), response(503, '1'), scheduledAt)).toEqual({ kind: 'retry', at: scheduledAt + 1_000 });
    expect(outcomeOf(eventOf(), response(503, 'Tue, 01 Sep 2026 08:02:00 GMT'), scheduledAt)).toEqual({
      kind: 'retry',
      at: scheduledAt + 120_000,
    });
  });

  test('is an error after the last retry despite `Retry-After`', () => {
    expect(outcomeOf(eventOf({ tries: 2 }), response(503, '1'), scheduledAt)).toEqual({ kind: 'error' });
  });

  test('limits `Retry-After` to the end of the tolerance', () => {
    const event = eventOf({ toleranceSeconds: 60 });
    const outcome = outcomeOf(event, response(503, '86400'), scheduledAt + 2_000);
    expect(outcome).toEqual({ kind: 'retry', at: scheduledAt + 60_000 });
    expect(isTooLate(event, scheduledAt + 60_000)).toBe(false);
  });

  test('uses the interval after the end of the tolerance', () => {
    const now = scheduledAt + 60_500;
    expect(outcomeOf(eventOf({ toleranceSeconds: 60 }), response(503, '86400'), now)).toEqual({
      kind: 'retry',
      at: now + 10_000,
    });
  });
});

describe('tolerance', () => {
  test('counts whole seconds from the scheduled time, of retries too', () => {
    const event = eventOf({ toleranceSeconds: 30, dueAt: scheduledAt + 29_000, tries: 1 });
    expect(isTooLate(event, scheduledAt + 30_999)).toBe(false);
    expect(isTooLate(event, scheduledAt + 31_000)).toBe(true);
  });

  test('of 0 still calls an event that is on time', () => {
    expect(isTooLate(eventOf({ toleranceSeconds: 0 }), scheduledAt + 3)).toBe(false);
  });
});

test.each([
  ['30', 30_000],
  [' 7 ', 7_000],
  ['0', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  ['Tue, 01 Sep 2026 08:00:10 GMT', 10_000],
  ['Tuesday, 01-Sep-26 08:00:10 GMT', 10_000],
  ['Tue Sep  1 08:00:10 2026', 10_000],
  ['Tue, 01 Sep 2026 07:00:00 GMT', undefined],
])('Retry-After: %s is a delay of %s ms', (text, wait) => {
  expect(readRetryAfter(text, scheduledAt)).toBe(wait);
});
