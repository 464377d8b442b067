import { expect, test } from 'vitest';
import { fromZonedInput, zonedInput } from './zoned-time.ts';

const iso = (ms: number | undefined): string => new Date(ms ?? Number.NaN).toISOString();

test('converts a local time of any zone to an instant and back', () => {
  const read = fromZonedInput('2027-03-01T09:30:15', 'Asia/Kathmandu', 'earlier');
  expect(iso(read?.ms)).toBe('2027-03-01T03:45:15.000Z');
  expect(zonedInput(read?.ms ?? 0, 'Asia/Kathmandu')).toBe('2027-03-01T09:30:15');
  expect(fromZonedInput('', 'Asia/Tokyo', 'earlier')).toBeUndefined();
});

test('converts a local time that occurs twice to the chosen instant', () => {
  const [earlier, later] = (['earlier', 'later'] as const).map((pass) =>
    fromZonedInput('2026-10-25T02:30:00', 'Europe/Berlin', pass),
  );
  expect([iso(earlier?.ms), earlier?.change]).toEqual(['2026-10-25T00:30:00.000Z', 'twice']);
  expect(iso(later?.ms)).toBe('2026-10-25T01:30:00.000Z');
});

test('moves a skipped local time forward by the clock change', () => {
  const read = fromZonedInput('2027-03-28T02:30:00', 'Europe/Berlin', 'earlier');
  expect([iso(read?.ms), read?.change]).toEqual(['2027-03-28T01:30:00.000Z', 'never']);
});
