import { expect, test } from 'vitest';
import type { PendingEvent } from '../types/pending-event.ts';
import { createClaimRange } from './claim-range.ts';

const ALL = Number.NEGATIVE_INFINITY;

function controlled() {
  let time = 1_000;
  const range = createClaimRange(
    () => 1_000_000,
    () => time,
  );
  return {
    /** Claims events with these due times, and returns from which due time the claim reads. */
    claim(dueTimes: readonly number[], except: readonly string[] = [], orderingKey?: string): number {
      const from = range.start(except);
      range.claimed(
        except,
        dueTimes.map((dueAt) => ({ dueAt, orderingKey }) as PendingEvent),
      );
      return from;
    },
    again: range.claimAgainMs,
    pass(ms: number): void {
      time += ms;
    },
  };
}

test('the first claim reads all events, and the next starts at the earliest event of the last claim', () => {
  const { claim } = controlled();
  expect([claim([5_000, 4_000.7]), claim([6_000]), claim([]), claim([7_000])]).toEqual([ALL, 3_999, 5_999, 5_999]);
});

test('a claim of earlier events does not move the start back, unless it has read all events', () => {
  const { claim, pass } = controlled();
  claim([5_000]);
  claim([6_000]);
  expect(claim([5_999.5])).toBe(5_999);
  pass(500);
  expect([claim([3_000]), claim([])]).toEqual([ALL, 2_999]);
});

test('the start is before the earliest event, whatever the order of the events', () => {
  const { claim } = controlled();
  claim([5_000, 7_000, 6_000]);
  expect(claim([])).toBe(4_999);
});

test('a claim that does not read all events never moves the start back', () => {
  const { claim } = controlled();
  claim([5_000]);
  claim([3_000]);
  expect(claim([])).toBe(4_999);
});

test('no claim of all events is due before the first claim', () => {
  expect(controlled().again()).toBeUndefined();
});

test('a claim of all events follows 500 ms after the last one', () => {
  const { claim, again, pass } = controlled();
  claim([5_000]);
  expect(again()).toBeUndefined();
  pass(100);
  claim([6_000]);
  expect(again()).toBe(400);
  pass(400);
  expect(claim([7_000])).toBe(ALL);
});

test('a queue that was excluded when the start moved is read from its start when it has room again', () => {
  const { claim } = controlled();
  claim([5_000]);
  expect(claim([6_000], ['full'])).toBe(4_999);
  expect(claim([7_000], ['full'])).toBe(5_999);
  expect(claim([5_500])).toBe(ALL);
  expect(claim([])).toBe(5_499);
});

test('a queue that is excluded while the start does not move is not read again', () => {
  const { claim } = controlled();
  claim([5_000]);
  claim([], ['full']);
  expect(claim([5_000])).toBe(4_999);
});

test('a queue that is excluded while the earliest event stays the same is not read again', () => {
  const { claim } = controlled();
  claim([5_000]);
  claim([5_000], ['full']);
  expect(claim([])).toBe(4_999);
});

test('events with an ordering key do not move the start', () => {
  const { claim } = controlled();
  claim([5_000]);
  claim([9_000], [], 'key');
  expect(claim([])).toBe(4_999);
});

test('a claim reads at least the events of the last second', () => {
  const { claim } = controlled();
  claim([1_002_000]);
  expect(claim([])).toBe(999_000);
});
