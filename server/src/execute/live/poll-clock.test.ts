import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PollClock } from './poll-clock.ts';

const INTERVAL_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a clock for ten seconds. Returns the times of the ticks of its cohorts, of which each poll takes `pollMs`. */
async function ticksOf(...pollMs: readonly number[]): Promise<readonly (readonly number[])[]> {
  const clock = new PollClock(INTERVAL_MS, undefined);
  const start = performance.now();
  const cohorts = pollMs.map((one) => {
    const ticks: number[] = [];
    return { tables: undefined, pollMs: one, ticks, tick: () => void ticks.push(performance.now() - start) };
  });
  for (const cohort of cohorts) clock.add(cohort);
  await vi.advanceTimersByTimeAsync(10 * INTERVAL_MS);
  for (const cohort of cohorts) clock.delete(cohort);
  expect(vi.getTimerCount()).toBe(0);
  return cohorts.map(({ ticks }) => ticks);
}

describe('a change is received within the interval', () => {
  test.each([0, 20, 60, 100])('while a poll takes %i ms, with a tenth of the interval for its way', async (pollMs) => {
    const [ticks = []] = await ticksOf(pollMs);
    expect(ticks.length).toBeGreaterThan(10);
    for (const [index, time] of ticks.entries()) {
      const since = ticks[index - 1] ?? 0;
      expect(time + pollMs - since).toBe(0.9 * INTERVAL_MS);
    }
  });

  test('of all statements, which are polled together', async () => {
    const [first, second] = await ticksOf(0, 50);
    expect(first).toEqual(second);
    expect(first?.slice(0, 3)).toEqual([900, 1_750, 2_600]);
  });
});

test('polls that take longer are not repeated more often than after four fifths of the interval', async () => {
  const [ticks = []] = await ticksOf(5_000);
  expect(ticks.slice(0, 3)).toEqual([800, 1_600, 2_400]);
});
