/** Tests of the instants of local times around clock changes. */
import { describe, expect, test } from 'vitest';
import { instantsOf, isTimeZone, wallTime } from './local-times.ts';

const at = (text: string): number => Date.parse(text);

describe('a local time', () => {
  test.each([
    ['in winter', '2026-01-15T08:00:00Z', 'Europe/Berlin', '2026-01-15T07:00:00Z'],
    ['in summer', '2026-07-15T08:00:00Z', 'Europe/Berlin', '2026-07-15T06:00:00Z'],
    ['just before the gap', '2026-03-29T01:59:59Z', 'Europe/Berlin', '2026-03-29T00:59:59Z'],
    ['just after the gap', '2026-03-29T03:00:00Z', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['just before the fold', '2026-10-25T01:59:59Z', 'Europe/Berlin', '2026-10-24T23:59:59Z'],
    ['just after the fold', '2026-10-25T03:00:00Z', 'Europe/Berlin', '2026-10-25T02:00:00Z'],
    ['west of Greenwich', '2026-12-31T23:30:00Z', 'America/Los_Angeles', '2027-01-01T07:30:00Z'],
    ['with half an hour of offset', '2026-05-01T00:00:00Z', 'Asia/Kolkata', '2026-04-30T18:30:00Z'],
    ['with milliseconds', '2026-05-01T00:00:00.125Z', 'Asia/Tokyo', '2026-04-30T15:00:00.125Z'],
    ['before 1970', '1950-06-01T12:00:00.250Z', 'UTC', '1950-06-01T12:00:00.250Z'],
  ])('%s is one instant', (_when, wall, zone, instant) => {
    expect(instantsOf(at(wall), zone)).toEqual({ kind: 'one', at: at(instant) });
    expect(wallTime(at(instant), zone)).toBe(at(wall));
  });

  test.each([
    ['2026-10-25T02:30:00Z', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
    ['2026-11-01T01:00:00Z', 'America/New_York', '2026-11-01T05:00:00Z', '2026-11-01T06:00:00Z'],
    // Lord Howe Island changes its clocks by half an hour.
    ['2026-04-05T01:45:00Z', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
  ])('%s in %s occurs twice', (wall, zone, earlier, later) => {
    expect(instantsOf(at(wall), zone)).toEqual({ kind: 'two', earlier: at(earlier), later: at(later) });
  });

  test.each([
    ['2026-03-29T02:30:00Z', 'Europe/Berlin', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z'],
    ['2026-03-08T02:00:00Z', 'America/New_York', '2026-03-08T06:00:00Z', '2026-03-08T07:00:00Z'],
  ])('%s in %s does not occur', (wall, zone, earlier, later) => {
    expect(instantsOf(at(wall), zone)).toEqual({ kind: 'none', earlier: at(earlier), later: at(later) });
  });
});

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['+02:00', false],
  ['', false],
])('accepts %s as a time zone: %s', (zone, expected) => {
  expect(isTimeZone(zone)).toBe(expected);
});
