import { expect, test } from 'vitest';
import { type Point, quantile, trendOf } from './trend.ts';

const series = (value: (seconds: number) => number): Point[] =>
  Array.from({ length: 101 }, (_, index) => ({ seconds: index * 10, value: value(index * 10) }));

test('a series that grows until its end is not flat', () => {
  expect(
    trendOf(
      series((seconds) => 100 + seconds / 10),
      1,
    ).isFlat,
  ).toBe(false);
});

test('a series that grows only in the first quarter is flat', () => {
  expect(
    trendOf(
      series((seconds) => Math.min(seconds, 240)),
      1,
    ).isFlat,
  ).toBe(true);
});

test('a series with single peaks is flat', () => {
  expect(
    trendOf(
      series((seconds) => (seconds % 100 === 0 ? 5_000 : 10)),
      1,
    ).isFlat,
  ).toBe(true);
});

test('small values may grow by the allowed difference', () => {
  expect(
    trendOf(
      series((seconds) => (seconds > 600 ? 4 : 2)),
      2,
    ).isFlat,
  ).toBe(true);
});

test('a quantile is the value that the share does not exceed', () => {
  expect(quantile([3, 1, 2, 5, 4], 0.99)).toBe(5);
});
