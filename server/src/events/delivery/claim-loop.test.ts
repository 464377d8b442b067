import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { PendingEvent } from '../types/pending-event.ts';
import { createClaimLoop } from './claim-loop.ts';
import type { Claim } from './event-store.ts';

beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => vi.useRealTimers());

const most = 4;

function eventsOf(count: number, lane: string, dueAt: number): PendingEvent[] {
  return Array.from({ length: count }, (_unused, index) => ({ id: `${lane}${index}`, lane, dueAt }) as PendingEvent);
}

/** A claim loop whose claims return `results` in turn, then nothing. */
function controlled(results: PendingEvent[][], full: string[] = [], claimedAhead = 0, room = Number.POSITIVE_INFINITY) {
  const claims: Claim[] = [];
  const claimLoop = createClaimLoop({
    aheadMs: 2_000,
    mostAhead: 100,
    most,
    mostEach: 2,
    claimedAhead: () => claimedAhead,
    now: () => Date.now(),
    fullQueues: () => full,
    room: () => room,
    claim: (claim) => {
      claims.push(claim);
      return Promise.resolve(results.shift() ?? []);
    },
  });
  return { claimLoop, claims };
}

test('many wake-ups at once cause one claim, and a wake-up during it another', async () => {
  const { claimLoop, claims } = controlled([]);
  for (let times = 0; times < 10; times += 1) claimLoop.wake();
  expect(claims).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10);
  expect(claims).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(2);
});

test('claims events ahead of time and of all lanes while no lane is full', async () => {
  const { claimLoop, claims } = controlled([]);
  claimLoop.wake();
  expect(claims).toEqual([{ aheadMs: 2_000, most, exceptQueues: [] }]);
  await claimLoop.stop();
});

test('claims no events ahead of time while enough claimed events are not due', async () => {
  const { claimLoop, claims } = controlled([], [], 100);
  claimLoop.wake();
  expect(claims[0]?.aheadMs).toBe(0);
  await claimLoop.stop();
});

test('a full claim is followed by another', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 0), eventsOf(1, 'a', 0)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(claims).toHaveLength(2);
});

test('a full claim of events that are not due soon is followed by a pause for other nodes', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 1_900)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(20);
  expect(claims).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(claims).toHaveLength(2);
});

test('claims by lane while a lane is full, and again while a lane returns its maximum', async () => {
  const { claimLoop, claims } = controlled([eventsOf(2, 'b', 0), eventsOf(1, 'b', 0)], ['a']);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(50);
  expect(claims).toEqual(Array(2).fill({ aheadMs: 2_000, most, mostEach: 2, exceptQueues: ['a'] }));
});

test('claims nothing after it was stopped', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 1_900)]);
  claimLoop.wake();
  await claimLoop.stop();
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(1);
});

test('claims by lane, and at most the capacity of a limited destination from each', async () => {
  const { claimLoop, claims } = controlled([], [], 0, 1);
  claimLoop.wake();
  expect(claims[0]).toMatchObject({ exceptQueues: [], mostEach: 1 });
  await claimLoop.stop();
});
