import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDelayQueue } from './delay-queue.ts';

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

function queueOf(now: () => number = Date.now) {
  const fired: { at: number; item: string }[] = [];
  const delayQueue = createDelayQueue<string>(now, (items) => {
    for (const item of items) fired.push({ at: now(), item });
  });
  return { delayQueue, fired };
}

test('items fire at their due times, in any order of insertion', () => {
  const { delayQueue, fired } = queueOf();
  for (const at of [300, 100, 1_200, 200, 700]) delayQueue.add(at, String(at));
  vi.advanceTimersByTime(1_199);
  expect(fired.map((one) => one.item)).toEqual(['100', '200', '300', '700']);
  vi.advanceTimersByTime(1);
  expect(fired.at(-1)).toEqual({ at: 1_200, item: '1200' });
  expect(delayQueue.size()).toBe(0);
});

test('an earlier item that is added later does not wait for the first timer', () => {
  const { delayQueue, fired } = queueOf();
  delayQueue.add(400, 'late');
  delayQueue.add(50, 'early');
  vi.advanceTimersByTime(50);
  expect(fired).toEqual([{ at: 50, item: 'early' }]);
});

test('a timer that fires before the due time by the clock is set again', () => {
  // This clock runs at half the speed of the timers.
  const { delayQueue, fired } = queueOf(() => Date.now() / 2);
  delayQueue.add(100, 'item');
  vi.advanceTimersByTime(199);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(fired).toHaveLength(1);
  expect(fired[0]?.at).toBeGreaterThanOrEqual(100);
});

test('cleared items do not fire', () => {
  const { delayQueue, fired } = queueOf();
  delayQueue.add(10, 'a');
  delayQueue.add(20, 'b');
  expect(delayQueue.clear().sort()).toEqual(['a', 'b']);
  vi.advanceTimersByTime(1_000);
  expect(fired).toEqual([]);
});

test('a thousand items in random order fire in order', () => {
  const { delayQueue, fired } = queueOf();
  let seed = 7;
  for (let index = 0; index < 1_000; index += 1) {
    seed = (seed * 16_807) % 2_147_483_647;
    delayQueue.add(seed % 5_000, String(seed % 5_000));
  }
  vi.advanceTimersByTime(5_000);
  const order = fired.map((one) => Number(one.item));
  expect(order).toHaveLength(1_000);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});
