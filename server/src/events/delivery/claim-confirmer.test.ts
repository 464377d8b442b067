import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { waitByGlobalTimers } from '../../../test/support/timers-promises.ts';
import type { Observation } from '../../base/telemetry/observe.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { createClaimConfirmer } from './claim-confirmer.ts';
import type { ClaimedEvent } from './claimed-events.ts';

waitByGlobalTimers();
beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function claimedEvent(id: string, lease = '1'): ClaimedEvent<DeliverableEvent> {
  const event = { id } as DeliverableEvent;
  return { event, lease, claimedAt: 0, confirmedAt: Number.NEGATIVE_INFINITY, dropped: false, calling: false };
}

/** A confirmer whose store confirms all events that do not begin with `x`, after `takesMs`. */
function confirmer(takesMs = 0) {
  const state = { held: true, failing: false, time: 100 };
  const statements: { lease: string; ids: string[]; at: number }[] = [];
  const observed: Observation[] = [];
  const { confirm, stop } = createClaimConfirmer({
    store: {
      confirm: async (lease, events) => {
        statements.push({ lease, ids: events.map(({ id }) => id), at: performance.now() });
        if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
        if (state.failing) throw new Error('no connection');
        return new Set(events.map(({ id }) => id).filter((id) => !id.startsWith('x')));
      },
    },
    now: () => state.time,
    holds: () => state.held,
    observe: (one) => observed.push(one),
  });
  return { confirm, stop, state, statements, observed };
}

test('confirms an event that is still claimed', async () => {
  expect(await confirmer().confirm(claimedEvent('a'))).toBe(true);
});

test('does not confirm an event that the database has as claimed no more', async () => {
  expect(await confirmer().confirm(claimedEvent('x'))).toBe(false);
});

test('a confirmation counts from before its statement was sent', async () => {
  const { confirm, state } = confirmer(50);
  const claimed = claimedEvent('a');
  const confirmed = confirm(claimed);
  await pass(10);
  state.time = 150;
  await pass(50);
  await confirmed;
  expect(claimed.confirmedAt).toBe(100);
});

test('confirms the events of one lease in one statement', async () => {
  const { confirm, statements } = confirmer(10);
  const results = Promise.all(['a', 'b', 'c', 'd'].map((id) => confirm(claimedEvent(id))));
  await pass(100);
  await results;
  expect(statements.flatMap(({ ids }) => ids).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(statements.length).toBeLessThan(4);
});

test('confirms the events of each lease under that lease', async () => {
  const { confirm, statements } = confirmer();
  expect(await Promise.all([confirm(claimedEvent('a', '1')), confirm(claimedEvent('b', '2'))])).toEqual([true, true]);
  expect(statements.map(({ lease, ids }) => [lease, ids])).toEqual([
    ['1', ['a']],
    ['2', ['b']],
  ]);
});

test('sends no statement under a lease that may have expired', async () => {
  const { confirm, state, statements } = confirmer();
  state.held = false;
  expect([await confirm(claimedEvent('a')), statements]).toEqual([false, []]);
});

test('tries again after 250 ms while the database does not respond', async () => {
  const { confirm, state, statements } = confirmer();
  state.failing = true;
  const confirmed = confirm(claimedEvent('a'));
  await pass(249);
  expect(statements).toHaveLength(1);
  state.failing = false;
  await pass(1);
  expect(await confirmed).toBe(true);
});

test('does not confirm an event whose lease ends while the database does not respond', async () => {
  const { confirm, state } = confirmer();
  state.failing = true;
  const confirmed = confirm(claimedEvent('a'));
  await pass(0);
  state.held = false;
  await pass(250);
  expect(await confirmed).toBe(false);
});

test('a stop ends a confirmation that is tried again', async () => {
  const { confirm, stop, state } = confirmer();
  state.failing = true;
  const confirmed = confirm(claimedEvent('a'));
  await pass(0);
  stop();
  expect(await confirmed).toBe(false);
});

test('confirms nothing after the stop', async () => {
  const { confirm, stop, statements } = confirmer();
  stop();
  expect([await confirm(claimedEvent('a')), statements]).toEqual([false, []]);
});

test('reports the failure and the recovery', async () => {
  const { confirm, state, observed } = confirmer();
  state.failing = true;
  const confirmed = confirm(claimedEvent('a'));
  await pass(0);
  state.failing = false;
  await pass(250);
  await confirmed;
  expect(observed.map((one) => [one.kind, 'where' in one && one.where])).toEqual([
    ['failure', 'confirming events'],
    ['note', 'confirming events'],
  ]);
});
