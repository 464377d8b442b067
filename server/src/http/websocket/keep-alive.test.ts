import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KeepAlive } from './keep-alive.ts';

const EVERY_MS = 5_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Socket {
  flowing: boolean;
  sentAt: number;
  readonly kept: number[];
  readonly checks: number[];
  readonly stop: () => void;
}

function socket(all: KeepAlive, keepsAliveBesideOthers: boolean): Socket {
  const state = { flowing: true, sentAt: performance.now(), kept: [] as number[], checks: [] as number[] };
  const stop = all.add(Object.assign(state, { check: () => void state.checks.push(performance.now()) }), {
    keepsAliveBesideOthers,
    keepAlive: () => void state.kept.push(performance.now()),
  });
  return Object.assign(state, { stop });
}

/** Returns the longest time without a message. */
function longestGap(from: number, times: readonly number[], to: number): number {
  const all = [from, ...times, to];
  return Math.max(...all.slice(1).map((time, index) => time - (all[index] ?? 0)));
}

describe('keep-alive messages', () => {
  test('are sent at each interval, to all sockets with one timer', async () => {
    const all = new KeepAlive(EVERY_MS);
    const start = performance.now();
    const sockets = Array.from({ length: 100 }, () => socket(all, false));
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const { kept } of sockets) {
      expect(kept.length).toBeLessThanOrEqual(13);
      expect(longestGap(start, kept, performance.now())).toBeLessThanOrEqual(EVERY_MS);
    }
    for (const { stop } of sockets) stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('are not sent while there are other messages, which the legacy protocol needs them beside', async () => {
    const all = new KeepAlive(EVERY_MS);
    const [current, legacy] = [socket(all, false), socket(all, true)];
    for (let step = 0; step < 60; step += 1) {
      current.sentAt = performance.now();
      legacy.sentAt = performance.now();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(current.kept).toEqual([]);
    expect(legacy.kept.length).toBeGreaterThanOrEqual(12);
    const last = current.sentAt;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(longestGap(last, current.kept, performance.now())).toBeLessThanOrEqual(EVERY_MS);
    current.stop();
    legacy.stop();
  });

  test('are not sent to a client that does not read, which is checked every 30 s', async () => {
    const all = new KeepAlive(EVERY_MS);
    const one = socket(all, false);
    one.flowing = false;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(one.kept).toEqual([]);
    expect(one.checks.length).toBe(4);
    one.stop();
  });
});
