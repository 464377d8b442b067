import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { everySecond } from './second-ticker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('runs all tasks each second with one timer, which ends with the last task', () => {
  let [first, second] = [0, 0];
  const stopFirst = everySecond(() => {
    first += 1;
  });
  const stopSecond = everySecond(() => {
    second += 1;
  });
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(3_000);
  stopFirst();
  vi.advanceTimersByTime(2_000);
  expect([first, second]).toEqual([3, 5]);
  stopSecond();
  stopSecond();
  expect(vi.getTimerCount()).toBe(0);
  const stopAgain = everySecond(() => {
    first += 1;
  });
  vi.advanceTimersByTime(1_000);
  expect(first).toBe(4);
  stopAgain();
});
