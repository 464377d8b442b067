/** Strict parsing of ISO 8601 timestamps and of local times in a time zone. */
import { z } from 'zod';
import { instantsOf, isTimeZone } from './local-times.ts';

const extended =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;
const basic = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,12}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;

/** Either the instant or the reason why there is none. */
export type ReadTimestamp = { readonly instant: string } | { readonly reason: string };

const LARGEST_OFFSET_MINUTES = 15 * 60 + 59;

const outOfRange = { reason: 'must lie in the years 0001 to 9999' };

/** Whether the year has one to four digits. */
function isInRange(date: Date): boolean {
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;
}

/**
 * Returns the instant of `text` in UTC with microseconds, such as `2026-09-01T08:00:00.000000Z`. Text without an offset
 * is UTC. Digits after the microseconds are dropped.
 */
export function readTimestamp(text: string): ReadTimestamp {
  const match = extended.exec(text) ?? basic.exec(text);
  if (match === null) return { reason: 'must be an ISO 8601 timestamp such as "2026-09-01T08:00:00Z"' };
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    match;
  if (!isDay(Number(year), Number(month), Number(day)))
    return { reason: `names a day that is not in the calendar: ${year}-${month}-${day}` };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return { reason: 'names a time of day that does not exist' };
  }
  const microseconds = `${fraction.slice(0, 6).padEnd(6, '0')}Z`;
  // Most times are in UTC, which needs no arithmetic.
  if (sign === undefined) {
    return { instant: `${year}-${month}-${day}T${hour}:${minute}:${second.padStart(2, '0')}.${microseconds}` };
  }
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  if (offset > LARGEST_OFFSET_MINUTES || Number(offsetMinutes) > 59) {
    return { reason: 'has an offset from UTC that does not exist' };
  }
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute) - (sign === '-' ? -offset : offset), Number(second));
  if (!isInRange(date)) return outOfRange;
  return { instant: `${date.toISOString().slice(0, 19)}.${microseconds}` };
}

/** Whether the calendar has the day. */
function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  if (month === 2) return day <= (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28);
  return day <= (month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31);
}

/** Whether the text has an offset from UTC. */
export function hasOffset(text: string): boolean {
  return /(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/.test(text.replace(/^\d{4}-\d\d-\d\d/, ''));
}

/** A timestamp, parsed to the result of `readTimestamp`. */
export const Timestamp = z.string().transform((text, context): string => {
  const read = readTimestamp(text);
  if ('instant' in read) return read.instant;
  context.addIssue({ code: 'custom', message: read.reason });
  return z.NEVER;
});

interface Written {
  readonly schedule_at?: string | undefined;
  readonly timezone?: string | null | undefined;
  readonly dst?: 'earlier' | 'later' | null | undefined;
}

/** The instant in UTC with microseconds, or the invalid member and the reason. */
export type ScheduleTime =
  | { readonly instant: string }
  | { readonly member: 'schedule_at' | 'timezone' | 'dst'; readonly reason: string };

/** Parses a scheduled time. `schedule_at` is UTC where it has no offset and `timezone` is absent. */
export function readScheduleTime({
  schedule_at,
  timezone,
  dst,
}: Written & { readonly schedule_at: string }): ScheduleTime {
  const read = readTimestamp(schedule_at);
  if ('reason' in read) return { member: 'schedule_at', reason: read.reason };
  if (timezone === null || timezone === undefined) {
    if (dst !== null && dst !== undefined) return { member: 'dst', reason: 'requires a timezone' };
    return read;
  }
  if (hasOffset(schedule_at)) {
    return { member: 'timezone', reason: 'schedule_at already has an offset from UTC; remove one of them' };
  }
  if (!isTimeZone(timezone)) {
    return { member: 'timezone', reason: 'must be a time zone of the IANA database, such as "Europe/Berlin"' };
  }
  const found = instantsOf(Date.parse(`${read.instant.slice(0, 23)}Z`), timezone);
  const at =
    found.kind === 'one' ? found.at : dst === 'earlier' ? found.earlier : dst === 'later' ? found.later : undefined;
  if (at !== undefined) {
    const date = new Date(at);
    if (!isInRange(date)) return { member: 'schedule_at', ...outOfRange };
    return { instant: `${date.toISOString().slice(0, -1)}${read.instant.slice(23)}` };
  }
  if (found.kind === 'one') throw new Error('one instant has one time');
  const how = found.kind === 'two' ? 'occurs twice' : 'does not exist, because the clocks are set forward,';
  const [earlier, later] = [short(found.earlier), short(found.later)];
  return {
    member: 'schedule_at',
    reason: `${how} in ${timezone}: choose "dst": "earlier" for ${earlier} or "dst": "later" for ${later}`,
  };
}

function short(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.?0*Z$/, 'Z');
}

/** Replaces the scheduled time in arguments by its instant `at`. */
export function withInstant<Args extends Written>(
  args: Args,
  context: z.RefinementCtx,
): Omit<Args, 'schedule_at' | 'timezone' | 'dst'> & { readonly at: Args['schedule_at'] } {
  const { schedule_at, timezone, dst, ...rest } = args;
  if (schedule_at === undefined) {
    for (const [member, value] of [['timezone', timezone] as const, ['dst', dst] as const]) {
      if (typeof value === 'string') {
        context.addIssue({ code: 'custom', message: 'requires schedule_at', path: [member] });
      }
    }
    return { ...rest, at: undefined };
  }
  const read = readScheduleTime({ schedule_at, timezone, dst });
  if ('instant' in read) return { ...rest, at: read.instant };
  context.addIssue({ code: 'custom', message: read.reason, path: [read.member] });
  return { ...rest, at: '' };
}
