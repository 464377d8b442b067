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

test('claims events ahead of time while one fewer than the most are claimed ahead', async () => {
  const { claimLoop, claims } = controlled([], [], 99);
  claimLoop.wake();
  expect(claims[0]?.aheadMs).toBe(2_000);
  await claimLoop.stop();
});

test('claims no more from a lane than its maximum when a limited destination has capacity for more', async () => {
  const { claimLoop, claims } = controlled([], ['a'], 0, 3);
  claimLoop.wake();
  expect(claims[0]?.mostEach).toBe(2);
  await claimLoop.stop();
});

test('does not claim by lane when a limited destination has capacity for the maximum of a lane', async () => {
  const { claimLoop, claims } = controlled([], [], 0, 2);
  claimLoop.wake();
  expect(claims).toEqual([{ aheadMs: 2_000, most, exceptQueues: [] }]);
  await claimLoop.stop();
});

test('a claim that is not full is not followed by another, however many events a lane has', async () => {
  const { claimLoop, claims } = controlled([eventsOf(most - 1, 'a', 0)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(1);
});

test('counts the events of each lane, so that many lanes with few events each are not claimed again', async () => {
  const lanes = [...eventsOf(1, 'b', 0), ...eventsOf(1, 'c', 0)];
  const { claimLoop, claims } = controlled([lanes], ['a']);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(1);
});

test('claims again while one of several lanes returns its maximum', async () => {
  const { claimLoop, claims } = controlled([[...eventsOf(2, 'a', 0), ...eventsOf(1, 'b', 0)]], ['c']);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(claims).toHaveLength(2);
});

test('claims again at once while a lane returns more than its maximum', async () => {
  const { claimLoop, claims } = controlled([eventsOf(3, 'b', 0)], ['a']);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(claims).toHaveLength(2);
});

test.each([
  [499, 3],
  [500, 60],
])('a full claim of events that are due in %d ms is followed by another after %d ms', async (dueAt, pause) => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', dueAt)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(pause - 1);
  expect(claims).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(claims).toHaveLength(2);
  random.mockRestore();
});

test('one event that is due soon is enough to claim again without a pause', async () => {
  const { claimLoop, claims } = controlled([[...eventsOf(most - 1, 'a', 1_900), ...eventsOf(1, 'b', 0)]]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(3);
  expect(claims).toHaveLength(2);
});

test('pauses of nodes are between half of and one and a half times 60 ms', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  const { claimLoop, claims } = controlled([eventsOf(most, 'a', 1_900)]);
  claimLoop.wake();
  await vi.advanceTimersByTimeAsync(30);
  expect(claims).toHaveLength(2);
  random.mockRestore();
});
