import { expect, test } from 'vitest';
import { addTo, percentile } from './histogram.ts';

function histogramOf(values: readonly number[]): number[] {
  const counts: number[] = [];
  for (const value of values) addTo(counts, value);
  return counts;
}

test.each([0.5, 0.95, 0.99])('the percentile %d is within 19 percent of the exact one', (share) => {
  const values = Array.from({ length: 10_000 }, (_, index) => 3 * 1.0008 ** index);
  const exact = values[Math.ceil(share * values.length) - 1] ?? 0;
  const found = percentile(histogramOf(values), share) ?? 0;
  expect(Math.abs(found / exact - 1)).toBeLessThan(0.19);
});

test('counts zero, negative and longest values', () => {
  const counts = histogramOf([0, -5, 1, Number.POSITIVE_INFINITY, 1e12]);
  expect(counts[0]).toBe(3);
  expect(counts.at(-1)).toBe(2);
  expect(counts.length).toBe(90);
});

test('has no percentile without values', () => {
  expect(percentile([], 0.5)).toBeUndefined();
  expect(percentile([0, 0], 0.5)).toBeUndefined();
});
