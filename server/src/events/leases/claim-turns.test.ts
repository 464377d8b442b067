import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ClaimTurns, createClaimTurns } from './claim-turns.ts';

beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const gapMs = 10;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Turns whose claims take `claimMs` and resolve to `results` in turn, then to undefined; `starts` has their times. */
function turnsWith(results: (number | undefined)[] = [], claimMs = 0): { turns: ClaimTurns; starts: number[] } {
  const starts: number[] = [];
  const turns = createClaimTurns({
    gapMs,
    claim: async () => {
      starts.push(performance.now());
      if (claimMs > 0) await new Promise((resolve) => setTimeout(resolve, claimMs));
      return results.shift();
    },
  });
  return { turns, starts };
}

test('claims nothing without a request', async () => {
  const { starts } = turnsWith();
  await pass(1_000);
  expect(starts).toEqual([]);
});

test('claims at once when requested', async () => {
  const { turns, starts } = turnsWith();
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0]);
});

test('combines requests during a claim into one more', async () => {
  const { turns, starts } = turnsWith([], 50);
  turns.wake();
  turns.wake();
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, 50]);
});

test('starts a claim a gap after the start of the last one', async () => {
  const { turns, starts } = turnsWith();
  turns.wake();
  await pass(4);
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, gapMs]);
});

test('requests before the next turn cause one claim', async () => {
  const { turns, starts } = turnsWith();
  turns.wake();
  await pass(4);
  turns.wake();
  turns.wake();
  await pass(gapMs);
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, gapMs, 2 * gapMs]);
});

test('starts a claim at once when the gap has passed', async () => {
  const { turns, starts } = turnsWith();
  turns.wake();
  await pass(gapMs);
  turns.wake();
  expect(starts).toEqual([0, gapMs]);
});

test('claims again a gap later when a claim left something', async () => {
  const { turns, starts } = turnsWith([0, 0]);
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, gapMs, 2 * gapMs]);
});

test('claims again after the time that a claim returns', async () => {
  const { turns, starts } = turnsWith([300]);
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, 300]);
});

test('claims again at once when a claim left something and no gap is wanted', async () => {
  const starts: number[] = [];
  const results = [0, undefined];
  const turns = createClaimTurns({
    gapMs: 0,
    claim: async () => {
      starts.push(performance.now());
      return results.shift();
    },
  });
  turns.wake();
  await Promise.resolve();
  await Promise.resolve();
  expect(starts).toEqual([0, 0]);
});

test('a request during a claim does not wait for the time that the claim returns', async () => {
  const { turns, starts } = turnsWith([300], 50);
  turns.wake();
  await pass(20);
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, 50]);
});

test('a request after a claim does not wait for the time that the claim returned, which is then over', async () => {
  const { turns, starts } = turnsWith([300]);
  turns.wake();
  await pass(100);
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([0, 100]);
});

test('claims nothing after the stop', async () => {
  const { turns, starts } = turnsWith();
  await turns.stop();
  turns.wake();
  await pass(1_000);
  expect(starts).toEqual([]);
});

test('a stop ends the wait for the next turn', async () => {
  const { turns, starts } = turnsWith();
  turns.wake();
  await pass(1);
  turns.wake();
  turns.wake();
  await turns.stop();
  expect([starts, vi.getTimerCount()]).toEqual([[0], 0]);
});

test('a stop ends the wait for the time that a claim returned', async () => {
  const { turns } = turnsWith([300]);
  turns.wake();
  await pass(1);
  await turns.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('a stop resolves when the running claim has ended', async () => {
  const { turns } = turnsWith([], 50);
  turns.wake();
  const ended = turns.stop().then(() => performance.now());
  await pass(1_000);
  expect(await ended).toBe(50);
});
