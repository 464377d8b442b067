/**
 * The times of a schedule. croner finds the local times that match the pattern; this file maps them to instants by the
 * rule of Vixie cron. A schedule whose minute or hour begins with `*` follows the clock: it runs in both passes of a
 * repeated hour and not in a skipped hour. Any other schedule runs once for each of its times: at the first of two
 * instants, and later by the length of the gap if the clocks skip the time.
 */
import { createRequire } from 'node:module';
import { instantsOf, isTimeZone, wallTime } from '@joinery/metadata/time/local-times';
import type { Cron } from 'croner';

export interface CronSchedule {
  /** Returns the next `most` times after `from` in order; milliseconds since 1970. */
  next(from: number, most: number): number[];
}

export interface ScheduleError {
  readonly member: 'schedule' | 'timezone';
  readonly reason: string;
}

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const load = createRequire(import.meta.url);

/** Upper bound of a change of clocks, and therefore of how far times can be out of order. */
const LARGEST_CHANGE_MS = 3 * 3_600_000;

/** Parses a cron pattern or nickname such as `@daily`. */
export function readSchedule(expression: string, timezone = 'UTC'): CronSchedule | ScheduleError {
  if (!isTimeZone(timezone)) {
    return { member: 'timezone', reason: 'must be a time zone of the IANA database, such as "Europe/Berlin"' };
  }
  const text = expression.trim();
  const pattern = nicknames[text.toLowerCase()] ?? text;
  if (!/^\S+(\s+\S+){4}$/.test(pattern))
    return invalid('must have five fields, such as "0 2 * * 1-5" or "*/15 * * * *"');
  // `utcOffset: 0` is fifty times as fast as the time zone UTC.
  // Loaded with the first pattern, because most services have no cron triggers.
  const croner = load('croner') as typeof import('croner');
  let cron: Cron;
  try {
    cron = new croner.Cron(pattern, { utcOffset: 0, mode: '5-part', paused: true });
    if (cron.nextRun(new Date(Date.UTC(2024, 0, 1))) === null) return invalid('never occurs: there is no such day');
  } catch (error) {
    return invalid(`is not a valid cron pattern: ${detailOf(error)}`);
  }
  const [minute = '', hour = ''] = pattern.split(/\s+/);
  const followsClock = minute.startsWith('*') || hour.startsWith('*');
  return { next: (from, most) => nextTimes(cron, timezone, followsClock, from, most) };
}

function detailOf(error: unknown): string {
  const detail = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
  // croner counts days and months from 0.
  return detail.replace(
    /^(Invalid value for (?:day|month|nearestWeekdays): )(-?\d+)$/,
    (_whole, what: string, value: string) => `${what}${Number(value) + 1}`,
  );
}

function invalid(reason: string): ScheduleError {
  return { member: 'schedule', reason };
}

function nextTimes(cron: Cron, timezone: string, followsClock: boolean, from: number, most: number): number[] {
  const found = new Set<number>();
  // Starts earlier, because local times repeat when clocks are set back.
  let local: Date | null = new Date(wallTime(from, timezone) - LARGEST_CHANGE_MS);
  let end = Number.POSITIVE_INFINITY;
  for (;;) {
    local = cron.nextRun(local);
    if (local === null) break;
    const times = timesOf(local.getTime(), timezone, followsClock);
    // Later local times are after `end`.
    if (local.getTime() > end) break;
    for (const time of times) if (time > from) found.add(time);
    if (end === Number.POSITIVE_INFINITY && found.size >= most) end = local.getTime() + LARGEST_CHANGE_MS;
  }
  return [...found].sort((one, other) => one - other).slice(0, most);
}

function timesOf(local: number, timezone: string, followsClock: boolean): readonly number[] {
  const found = instantsOf(local, timezone);
  switch (found.kind) {
    case 'one':
      return [found.at];
    case 'two':
      return followsClock ? [found.earlier, found.later] : [found.earlier];
    case 'none':
      return followsClock ? [] : [found.later];
    default:
      return found satisfies never;
  }
}
