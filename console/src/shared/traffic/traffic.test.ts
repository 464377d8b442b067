import { expect, test } from 'vitest';
import { failureShare, failuresIn, latencyText, percentText } from './traffic.ts';

const figures = {
  count: 375,
  delivered: 125,
  retried: 200,
  failed: 50,
  dead: 0,
  duration_ms: null,
  lateness_ms: null,
  backlog: 0,
  backlog_seconds: 0,
};

test('retried and failed calls are failures', () => {
  expect(failuresIn(figures)).toBe(250);
  expect(failureShare(figures)).toBeCloseTo(2 / 3);
});

test('an event that was too late to be called is a failure', () => {
  expect(failureShare({ ...figures, count: 1, delivered: 1, dead: 1 })).toBe(0.5);
});

test('no traffic has no failures', () => {
  expect(failureShare({ ...figures, count: 0, delivered: 0 })).toBe(0);
});

test.each([
  [0, '0 %'],
  [0.0001, '< 0.1 %'],
  [0.0034, '0.3 %'],
  [2 / 3, '67 %'],
  [1, '100 %'],
])('prints the share %d as %s', (share, text) => {
  expect(percentText(share)).toBe(text);
});

test.each([
  [0.254, '0.254 ms'],
  [20.14, '20.1 ms'],
  [3_518, '3.52 s'],
])('prints %d milliseconds as %s', (milliseconds, text) => {
  expect(latencyText(milliseconds)).toBe(text);
});
