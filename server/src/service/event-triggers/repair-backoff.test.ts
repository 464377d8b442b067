import { SourceName } from '@joinery/metadata/names';
import { expect, test } from 'vitest';
import { createRepairBackoff } from './repair-backoff.ts';

const trigger = { source: SourceName.parse('shop'), name: 'changed', hash: 'a' };

test('doubles the delay with each repair, to 64 times the first', () => {
  let at = 0;
  const backoff = createRepairBackoff(100, () => at);
  expect(backoff.wasRepaired(trigger)).toBe(false);
  const delays: number[] = [];
  for (let repair = 0; repair < 9; repair += 1) {
    backoff.repaired(trigger);
    const since = at;
    while (backoff.isDelayed(trigger)) at += 100;
    delays.push(at - since);
  }
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 6_400, 6_400]);
});

test('does not delay the repair of another definition or trigger, nor of one that worked for long', () => {
  let at = 0;
  const backoff = createRepairBackoff(100, () => at);
  backoff.repaired(trigger);
  expect(backoff.isDelayed({ ...trigger, hash: 'b' })).toBe(false);
  expect(backoff.isDelayed({ ...trigger, name: 'other' })).toBe(false);
  at = 6_499;
  expect(backoff.wasRepaired(trigger)).toBe(true);
  at = 6_500;
  expect(backoff.wasRepaired(trigger)).toBe(false);
});
