import { expect, test } from 'vitest';
import { PositionHistory } from './position-history.ts';
import type { WalPosition } from './wal-position.ts';

const position = (lsn: number, timeline = 1, cluster = 'one'): WalPosition => ({ cluster, timeline, lsn: BigInt(lsn) });

/** Adds pairs of a position and its moment. */
function historyOf(...samples: readonly (readonly [lsn: number, at: number])[]): PositionHistory {
  const history = new PositionHistory();
  for (const [lsn, at] of samples) history.add(position(lsn), at);
  return history;
}

test('a standby has reached the newest moment whose position it has replayed', () => {
  expect(historyOf([10, 1], [20, 2], [30, 3]).reachedAt(position(25))).toBe(2);
});

test('a standby of an idle primary has reached the last moment', () => {
  expect(historyOf([10, 1], [10, 2], [10, 3]).reachedAt(position(10))).toBe(3);
});

test('a standby behind all samples has reached no known moment', () => {
  expect(historyOf([10, 1]).reachedAt(position(9))).toBeUndefined();
});

test.each([
  ['another timeline', position(99, 2)],
  ['another cluster', position(99, 1, 'two')],
])('a standby on %s has reached no known moment', (_name, standby) => {
  expect(historyOf([10, 1]).reachedAt(standby)).toBeUndefined();
});

test('samples of an earlier primary are dropped', () => {
  const history = historyOf([10, 1]);
  history.add(position(20, 2), 2);
  expect([history.reachedAt(position(15, 1)), history.reachedAt(position(20, 2))]).toEqual([undefined, 2]);
});

test('many samples are thinned out, so that a standby seems older and never younger', () => {
  const history = new PositionHistory();
  for (let n = 1; n <= 10_000; n += 1) history.add(position(n), n);
  const ages = [1, 100, 5_000, 9_999, 10_000].map((lsn) => lsn - (history.reachedAt(position(lsn)) ?? 0));
  expect(ages.every((age) => age >= 0)).toBe(true);
  expect([ages.at(-2), ages.at(-1)]).toEqual([0, 0]);
});
