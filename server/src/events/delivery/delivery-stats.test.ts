import { expect, test } from 'vitest';
import { createDeliveryCounters } from './delivery-stats.ts';

test('outcomes are counted by kind, and lost claims separately', () => {
  const counters = createDeliveryCounters();
  counters.settled('delivered', true);
  counters.settled('delivered', true);
  counters.settled('retry', true);
  counters.settled('error', true);
  counters.settled('dead', true);
  counters.settled('delivered', false);
  expect(counters.read()).toMatchObject({ delivered: 2, retried: 1, failed: 1, dead: 1, lost: 1 });
});

test('lateness covers the last calls', () => {
  const counters = createDeliveryCounters();
  expect(counters.read().lateness).toEqual({ p50: 0, p99: 0, max: 0 });
  for (let late = 1; late <= 100; late += 1) counters.called(late);
  expect(counters.read().lateness).toEqual({ p50: 51, p99: 100, max: 100 });
  for (let times = 0; times < 1_024; times += 1) counters.called(2);
  expect(counters.read()).toMatchObject({ calls: 1_124, lateness: { p50: 2, p99: 2, max: 2 } });
});
