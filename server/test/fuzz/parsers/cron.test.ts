/** Random cron patterns, compared with a search through all minutes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSchedule } from '../../../src/events/cron/schedule.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged } from './json-texts.ts';

const MINUTE = 60_000;

/** A field as text and the values that it matches; `isAny` for `*`. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

function fieldOf(min: number, max: number): fc.Arbitrary<Field> {
  const all = Array.from({ length: max - min + 1 }, (_, at) => min + at);
  const one = fc.integer({ min, max });
  const item = fc.oneof(
    one.map((value) => ({ text: String(value), values: [value] })),
    fc.tuple(one, one, fc.integer({ min: 1, max: 7 })).map(([a, b, step]) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      const values = all.filter((value) => value >= from && value <= to && (value - from) % step === 0);
      return { text: `${from}-${to}${step === 1 ? '' : `/${step}`}`, values };
    }),
  );
  return fc.oneof(
    fc.constant({ text: '*', values: new Set(all), isAny: true }),
    fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => ({
      text: items.map(({ text }) => text).join(','),
      values: new Set(items.flatMap(({ values }) => values)),
      isAny: false,
    })),
  );
}

const stepped = (max: number): fc.Arbitrary<Field> =>
  fc.integer({ min: 2, max: Math.floor(max / 2) }).map((step) => ({
    text: `*/${step}`,
    values: new Set(Array.from({ length: max + 1 }, (_, at) => at).filter((at) => at % step === 0)),
    isAny: false,
  }));

const pattern = fc.record({
  minute: fc.oneof(fieldOf(0, 59), stepped(59)),
  hour: fc.oneof(fieldOf(0, 23), stepped(23)),
  day: fieldOf(1, 31),
  month: fieldOf(1, 12),
  weekday: fieldOf(0, 6),
});
type Pattern = typeof pattern extends fc.Arbitrary<infer Value> ? Value : never;

const textOf = ({ minute, hour, day, month, weekday }: Pattern): string =>
  [minute, hour, day, month, weekday].map(({ text }) => text).join(' ');

/** Whether the date in UTC matches. Of two restricted days, one is enough. */
function matches({ minute, hour, day, month, weekday }: Pattern, date: Date): boolean {
  const [inMonth, inWeek] = [day.values.has(date.getUTCDate()), weekday.values.has(date.getUTCDay())];
  const isDay = day.isAny || weekday.isAny ? inMonth && inWeek : inMonth || inWeek;
  return (
    isDay &&
    month.values.has(date.getUTCMonth() + 1) &&
    hour.values.has(date.getUTCHours()) &&
    minute.values.has(date.getUTCMinutes())
  );
}

const start = fc
  .integer({ min: Date.UTC(2000, 0, 1) / MINUTE, max: Date.UTC(2040, 0, 1) / MINUTE })
  .map((minutes) => minutes * MINUTE);
const DAYS = 40;

test('the times of a schedule are the minutes that match its pattern', unhurried, () => {
  fc.assert(
    fc.property(pattern, start, (written, from) => {
      const schedule = readSchedule(textOf(written));
      if ('reason' in schedule) {
        expect(schedule.reason).toContain('never occurs');
        return;
      }
      const end = from + DAYS * 24 * 60 * MINUTE;
      const expected: number[] = [];
      for (let at = from + MINUTE; at <= end && expected.length < 20; at += MINUTE) {
        if (matches(written, new Date(at))) expected.push(at);
      }
      expect(schedule.next(from, 20).filter((time) => time <= end)).toEqual(expected);
    }),
    fuzz(60),
  );
});

/** Days around changes of the clocks, by time zone. */
const changes = [
  { timezone: 'Europe/Berlin', from: Date.UTC(2024, 9, 26) },
  { timezone: 'Europe/Berlin', from: Date.UTC(2024, 2, 30) },
  { timezone: 'America/New_York', from: Date.UTC(2024, 10, 2, 12) },
  { timezone: 'America/New_York', from: Date.UTC(2024, 2, 9, 12) },
  { timezone: 'Australia/Lord_Howe', from: Date.UTC(2024, 3, 6) },
  { timezone: 'Asia/Kolkata', from: Date.UTC(2024, 5, 1) },
] as const;

/** Returns the local time in the zone as that of a date in UTC. */
function localTime(instant: number, zone: Intl.DateTimeFormat): Date {
  const parts = Object.fromEntries(zone.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  return new Date(Date.UTC(parts.year ?? 0, (parts.month ?? 1) - 1, parts.day, parts.hour, parts.minute));
}

const localTimes = changes.map(({ timezone, from }) => {
  const zone = new Intl.DateTimeFormat('en-US', {
    ...{
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    },
  });
  const minutes = Array.from({ length: 36 * 60 }, (_, at) => from + (at + 1) * MINUTE);
  return { timezone, from, minutes: minutes.map((at) => ({ at, local: localTime(at, zone) })) };
});

test('a schedule that follows the clock of a time zone runs in each minute whose local time matches', unhurried, () => {
  const following = pattern.map((one) => ({
    ...one,
    hour: { text: '*', values: new Set(Array.from({ length: 24 }, (_, at) => at)), isAny: true },
  }));
  fc.assert(
    fc.property(following, fc.constantFrom(...localTimes), (written, { timezone, from, minutes }) => {
      const schedule = readSchedule(textOf(written), timezone);
      if ('reason' in schedule) return;
      const end = minutes.at(-1)?.at ?? from;
      const expected = minutes.filter(({ local }) => matches(written, local)).map(({ at }) => at);
      expect(schedule.next(from, expected.length + 1).filter((time) => time <= end)).toEqual(expected);
    }),
    fuzz(15),
  );
});

test('a text is a schedule or is rejected with its reason', unhurried, () => {
  const field = fc.oneof(
    fc.constantFrom(
      '*',
      '*/0',
      '*/5',
      '1-',
      '5-1',
      '60',
      '-1',
      'L',
      'MON',
      'mon-fri',
      'JAN',
      '5#2',
      '15W',
      '?',
      '1,,2',
      '99999999999',
      '0-59/100',
    ),
    fc.string({ unit: fc.constantFrom(...'0123456789*/-,LW#?'), minLength: 1, maxLength: 5 }),
  );
  const text = fc.oneof(
    fc.array(field, { minLength: 4, maxLength: 6 }).map((fields) => fields.join(' ')),
    damaged(pattern.map(textOf), '*/-, 0L#'),
    fc.constantFrom('@daily', '@reboot', ' @Hourly '),
    fc.string(),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('UTC', 'Europe/Berlin', 'x', '', '+02:00'), (written, timezone) => {
      const schedule = readSchedule(written, timezone);
      if ('reason' in schedule) expect(schedule.reason).not.toBe('');
      else expect(schedule.next(Date.UTC(2024, 0, 1), 3).every(Number.isFinite)).toBe(true);
    }),
    fuzz(400),
  );
});
