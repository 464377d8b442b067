import { expect, test } from 'vitest';
import { createTally } from './delivery-stats.ts';

test('outcomes are counted by kind, and those that were not ours apart', () => {
  const tally = createTally();
  tally.settled('delivered', true);
  tally.settled('delivered', true);
  tally.settled('retry', true);
  tally.settled('error', true);
  tally.settled('dead', true);
  tally.settled('delivered', false);
  expect(tally.read()).toMatchObject({ delivered: 2, retried: 1, failed: 1, dead: 1, lost: 1 });
});

test('lateness is told of the last calls', () => {
  const tally = createTally();
  expect(tally.read().lateness).toEqual({ p50: 0, p99: 0, max: 0 });
  for (let late = 1; late <= 100; late += 1) tally.called(late);
  expect(tally.read().lateness).toEqual({ p50: 51, p99: 100, max: 100 });
  for (let times = 0; times < 1_024; times += 1) tally.called(2);
  expect(tally.read()).toMatchObject({ calls: 1_124, lateness: { p50: 2, p99: 2, max: 2 } });
});
