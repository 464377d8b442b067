import { describe, expect, test } from 'vitest';
import {
  durationOf,
  fromLocalInput,
  fromUtcInput,
  localInput,
  millisecondsOf,
  relative,
  utcInput,
  utcText,
} from './times.ts';

test.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [60, '1 minute'],
  [90, '1 minute 30 seconds'],
  [3_601, '1 hour'],
  [21_600, '6 hours'],
  [90_061, '1 day 1 hour'],
  [2_147_483_647, '24,855 days 3 hours'],
])('prints %d seconds as %s', (seconds, text) => {
  expect(durationOf(seconds)).toBe(text);
});

test.each([
  [0, 'now'],
  [400, 'now'],
  [2_000, 'in 2 seconds'],
  [-61_000, '1 minute ago'],
  [7_200_000, 'in 2 hours'],
  [-86_400_000, '1 day ago'],
  [-3_000_000_000, '1 month ago'],
  [130_000_000_000, 'in 4 years'],
])('prints an instant %d ms from now as %s', (distance, text) => {
  expect(relative(1_000_000_000_000 + distance, 1_000_000_000_000)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_250, '1.25 s'],
])('prints %d ms as %s', (duration, text) => {
  expect(millisecondsOf(duration)).toBe(text);
});

describe('the two inputs', () => {
  const moments = ['2026-01-01T00:00:00Z', '2026-07-01T12:34:56Z', '1999-12-31T23:59:59Z'].map(Date.parse);

  test.each(moments)('show the instant %d and read it back', (ms) => {
    expect(fromLocalInput(localInput(ms))).toBe(ms);
    expect(fromUtcInput(utcInput(ms))).toBe(ms);
  });

  test('accept a time without seconds', () => {
    expect(fromUtcInput('2026-01-01T08:00')).toBe(Date.parse('2026-01-01T08:00:00Z'));
  });

  test.each([[''], ['2026-01-99T00:00']])('reject %j', (text) => {
    expect(fromUtcInput(text)).toBeUndefined();
    expect(fromLocalInput(text)).toBeUndefined();
  });
});

test('prints UTC with milliseconds', () => {
  expect(utcText(Date.parse('2026-09-01T08:00:00.250Z'))).toBe('2026-09-01 08:00:00.250 UTC');
});
