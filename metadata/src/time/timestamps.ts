/** ISO 8601 timestamps as people write them, read strictly: no date that is not in the calendar. */
import { z } from 'zod';

const extended =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;
const basic = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,12}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;

/** Either the instant or the reason why there is none. */
export type ReadTimestamp = { readonly instant: string } | { readonly reason: string };

const LARGEST_OFFSET_MINUTES = 15 * 60 + 59;

/**
 * The instant of `text` in UTC with microseconds, such as `2026-09-01T08:00:00.000000Z`. Without an offset the text
 * counts as UTC. Digits beyond the microsecond are dropped.
 */
export function readTimestamp(text: string): ReadTimestamp {
  const match = extended.exec(text) ?? basic.exec(text);
  if (match === null) return { reason: 'must be an ISO 8601 timestamp such as "2026-09-01T08:00:00Z"' };
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const real = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) && Number(year) > 0;
  if (!real) return { reason: `names a day that is not in the calendar: ${year}-${month}-${day}` };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    return { reason: 'names a time of day that does not exist' };
  }
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  if (offset > LARGEST_OFFSET_MINUTES || Number(offsetMinutes) > 59) {
    return { reason: 'has an offset from UTC that does not exist' };
  }
  date.setUTCHours(Number(hour), Number(minute) - (sign === '-' ? -offset : offset), Number(second));
  if (date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) {
    return { reason: 'must lie in the years 0001 to 9999' };
  }
  return { instant: `${date.toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z` };
}

/** Whether the text says how far it is from UTC. */
export function hasOffset(text: string): boolean {
  return /(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/.test(text.replace(/^\d{4}-\d\d-\d\d/, ''));
}

/** A timestamp as written; parsed to the text that `readTimestamp` gives. */
export const Timestamp = z.string().transform((text, context): string => {
  const read = readTimestamp(text);
  if ('instant' in read) return read.instant;
  context.addIssue({ code: 'custom', message: read.reason });
  return z.NEVER;
});
