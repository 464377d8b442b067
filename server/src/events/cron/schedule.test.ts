/** Tests of the times of a schedule, in particular around clock changes. */
import { describe, expect, test } from 'vitest';
import { type CronSchedule, readSchedule } from './schedule.ts';

function schedule(pattern: string, timezone?: string): CronSchedule {
  const read = readSchedule(pattern, timezone);
  if ('reason' in read) throw new Error(read.reason);
  return read;
}

function times(pattern: string, timezone: string | undefined, from: string, most: number): string[] {
  const next = schedule(pattern, timezone).next(Date.parse(from), most);
  return next.map((time) => new Date(time).toISOString().replace(':00.000Z', 'Z'));
}

describe('a schedule', () => {
  test.each([
    ['0 2 * * *', '2026-03-01T02:00:00Z', ['2026-03-02T02:00Z', '2026-03-03T02:00Z']],
    ['*/20 * * * *', '2026-03-01T00:05:00Z', ['2026-03-01T00:20Z', '2026-03-01T00:40Z']],
    ['0 9 * * MON-FRI', '2026-03-06T10:00:00Z', ['2026-03-09T09:00Z', '2026-03-10T09:00Z']],
    ['0 0 13 * 5', '2026-03-13T01:00:00Z', ['2026-03-20T00:00Z', '2026-03-27T00:00Z']],
    ['0 0 29 2 *', '2026-03-01T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['@daily', '2026-03-01T00:00:00Z', ['2026-03-02T00:00Z', '2026-03-03T00:00Z']],
    ['0 12 * * 7', '2026-03-02T00:00:00Z', ['2026-03-08T12:00Z', '2026-03-15T12:00Z']],
  ])('%s is in UTC by default', (pattern, from, expected) => {
    expect(times(pattern, undefined, from, 2)).toEqual(expected);
  });

  test('follows the clocks of its time zone from standard to daylight saving time', () => {
    expect(times('0 9 * * *', 'Europe/Berlin', '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T08:00Z',
      '2026-03-29T07:00Z',
      '2026-03-30T07:00Z',
    ]);
  });

  test('at a skipped local time runs once, later by the length of the gap', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
  });

  test('with two fixed times at the same instant runs once', () => {
    expect(times('0 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:00Z',
    ]);
  });

  test('at a fixed time that occurs twice runs at the first', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
    // Also if requested between the two.
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', 1)).toEqual(['2026-10-26T01:30Z']);
  });

  test('with a wildcard runs at even intervals while the clocks are set forward', () => {
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 5)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:00Z',
      '2026-03-29T02:30Z',
    ]);
  });

  test('with a wildcard runs in both passes of a repeated hour, in order', () => {
    expect(times('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 6)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-25T02:00Z',
      '2026-10-25T02:30Z',
    ]);
    expect(times('0 * * * *', 'America/New_York', '2026-11-01T04:30:00Z', 3)).toEqual([
      '2026-11-01T05:00Z',
      '2026-11-01T06:00Z',
      '2026-11-01T07:00Z',
    ]);
  });

  test('returns the same times in one or several calls', () => {
    for (const [pattern, zone] of [
      ['*/7 * * * *', 'Europe/Berlin'],
      ['15 1-3 * * *', 'Europe/Berlin'],
      ['45 1 * * *', 'Australia/Lord_Howe'],
      ['5 */2 * * *', 'America/New_York'],
    ] as const) {
      for (const start of ['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z', '2026-10-31T20:00:00Z']) {
        const whole = schedule(pattern, zone).next(Date.parse(start), 60);
        const stepwise: number[] = [];
        for (let from = Date.parse(start); stepwise.length < 60; ) {
          from = schedule(pattern, zone).next(from, 1)[0] ?? Number.NaN;
          stepwise.push(from);
        }
        expect(stepwise).toEqual(whole);
        expect(new Set(whole).size).toBe(60);
      }
    }
  });
});

test.each([
  ['* * * * * *', undefined, 'schedule', 'five fields'],
  ['* * * *', undefined, 'schedule', 'five fields'],
  ['', undefined, 'schedule', 'five fields'],
  ['@reboot', undefined, 'schedule', 'five fields'],
  ['2026-01-01T00:00:00Z', undefined, 'schedule', 'five fields'],
  ['60 * * * *', undefined, 'schedule', 'Invalid value for minute: 60'],
  ['* * 0 * *', undefined, 'schedule', 'Invalid value for day: 0'],
  ['* * 32 * *', undefined, 'schedule', 'Invalid value for day: 32'],
  ['* * * 0 *', undefined, 'schedule', 'Invalid value for month: 0'],
  ['* * * 13 *', undefined, 'schedule', 'Invalid value for month: 13'],
  ['* * * * 8', undefined, 'schedule', 'Invalid value for dayOfWeek: 8'],
  ['0 0 31 2 *', undefined, 'schedule', 'never occurs'],
  ['0 0 * * *', 'Mars/Olympus', 'timezone', 'IANA'],
  ['0 0 * * *', '+02:00', 'timezone', 'IANA'],
])('rejects the schedule %j in %s', (pattern, zone, member, reason) => {
  expect(readSchedule(pattern, zone)).toEqual({ member, reason: expect.stringContaining(reason) });
});
