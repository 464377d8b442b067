import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PendingEvent } from '../types/pending-event.ts';
import type { Claim } from './claim.ts';
import { createClaimLoop } from './claim-loop.ts';

beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => vi.useRealTimers());

const most = 4;

function eventsOf(count: number, lane: string, dueAt: number): PendingEvent[] {
  return Array.from({ length: count }, (_unused, index) => ({ id: `${lane}${index}`, lane, dueAt }) as PendingEvent);
}

/** A claimLoop whose claims answer what stands in `answers`, then nothing. */
function controlled(answers: PendingEvent[][], full: string[] = [], heldAhead = 0, room = Number.POSITIVE_INFINITY) {
  const claims: Claim[] = [];
  const claimLoop = createClaimLoop({
    aheadMs: 2_000,
    mostAhead: 100,
    most,
    mostEach: 2,
    heldAhead: () => heldAhead,
    now: () => Date.now(),
    fullLanes: () => full,
    room: () => room,
    claim: (claim) => {
      claims.push(claim);
      return Promise.resolve(answers.shift() ?? []);
    },
  });
  return { claimLoop, claims };
}

test('woken many times at once it claims once, and once more for what came meanwhile', async () => {
  const { claimLoop, claims } = controlled([]);
  for (let times = 0; times < 10; times += 1) claimLoop.wake();
  expect(claims).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(claims).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(2);
});

test('it claims ahead of time and without exceptions while no lane is full', async () => {
  const { claimLoop, claims } = controlled([]);
  claimLoop.wake();
  expect(claims).toEqual([{ aheadMs: 2_000, most, exceptLanes: [] }]);
  await claimLoop.stop();
});

test('it claims nothing ahead of time while enough is held that is not due', async () => {
  const { claimLoop, claims } = controlled([], [], 100);
  claimLoop.wake();
  expect(claims[0]?.aheadMs).toBe(0);
  await claimLoop.stop();
});

test('a claim that was full is followed by another', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 0), eventsOf(1, 'a', 0)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(claims).toHaveLength(2);
});

test('a full claim of events that are not due soon lets other nodes have a turn first', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 1_900)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(claims).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(claims).toHaveLength(2);
});

test('with a full lane it claims lane by lane, again as long as one lane gives all that it may', async () => {
  const { claimLoop, claims } = controlled([eventsOf(2, 'b', 0), eventsOf(1, 'b', 0)], ['a']);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(50);
  expect(claims).toEqual(Array(2).fill({ aheadMs: 2_000, most, mostEach: 2, exceptLanes: ['a'] }));
});

test('once stopped it claims nothing more', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 1_900)]);
  claimLoop.wake();
  await claimLoop.stop();
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(1);
});

test('it claims lane by lane, and no more of each than a limited destination lacks', async () => {
  const { claimLoop, claims } = controlled([], [], 0, 1);
  claimLoop.wake();
  expect(claims[0]).toMatchObject({ exceptLanes: [], mostEach: 1 });
  await claimLoop.stop();
});
