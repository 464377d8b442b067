import { expect, test } from 'vitest';
import { totalOf } from './use-rows.ts';

const uncounted = { count: undefined, isEstimate: false };

test('a list that is loaded completely has the number of its rows', () => {
  expect(totalOf({ rows: 30, isEnd: true }, uncounted)).toEqual({ rows: 30, accuracy: 'exact' });
});

test('an exact count is the number of rows', () => {
  expect(totalOf({ rows: 100, isEnd: false }, { count: 240, isEstimate: false })).toEqual({
    rows: 240,
    accuracy: 'exact',
  });
});

test('an estimate grows with the rows that were loaded', () => {
  expect(totalOf({ rows: 100, isEnd: false }, { count: 50_000, isEstimate: true }).rows).toBe(50_000);
  expect(totalOf({ rows: 50_000, isEnd: false }, { count: 50_000, isEstimate: true })).toEqual({
    rows: 50_100,
    accuracy: 'estimate',
  });
});

test('the end of the list corrects an estimate', () => {
  expect(totalOf({ rows: 990, isEnd: true }, { count: 1_000, isEstimate: true })).toEqual({
    rows: 990,
    accuracy: 'exact',
  });
});

test('a list that is not counted has room for one more page', () => {
  expect(totalOf(undefined, uncounted)).toEqual({ rows: 100, accuracy: 'minimum' });
  expect(totalOf({ rows: 300, isEnd: false }, uncounted)).toEqual({ rows: 400, accuracy: 'minimum' });
});
