/**
 * The times of a schedule. croner says which times on the wall fit the pattern; which instants those are is decided
 * here, by the rule of the cron of old: a schedule whose minute or hour begins with `*` follows the clock, so it runs in
 * both passes of an hour that comes twice and not at all in one that does not come. Any other runs once for each of its
 * times: at the first of two, and where the clocks skip it, as much later as they are put forward.
 */
import { instantsOf, isTimeZone, wallTime } from '@joinery/metadata/time/local-times';
import { Cron } from 'croner';

export interface CronSchedule {
  /** The next times after `from`, at most so many, in order; milliseconds since 1970. */
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

/** What clocks are put forward or back by is less than this, and so is what can come out of order. */
const LARGEST_CHANGE_MS = 3 * 3_600_000;

export function readSchedule(written: string, timezone = 'UTC'): CronSchedule | ScheduleError {
  if (!isTimeZone(timezone)) {
    return { member: 'timezone', reason: 'must be a time zone of the IANA database, such as "Europe/Berlin"' };
  }
  const text = written.trim();
  const pattern = nicknames[text.toLowerCase()] ?? text;
  if (!/^\S+(\s+\S+){4}$/.test(pattern)) return fault('must have five fields, such as "0 2 * * 1-5" or "*/15 * * * *"');
  // An offset of 0 and not the zone UTC: fifty times as fast.
  let cron: Cron;
  try {
    cron = new Cron(pattern, { utcOffset: 0, mode: '5-part', paused: true });
    if (cron.nextRun(new Date(Date.UTC(2024, 0, 1))) === null) return fault('never comes: there is no such day');
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    return fault(`cannot be read: ${detail}`);
  }
  const [minute = '', hour = ''] = pattern.split(/\s+/);
  const byTheClock = minute.startsWith('*') || hour.startsWith('*');
  return { next: (from, most) => nextTimes(cron, timezone, byTheClock, from, most) };
}

function fault(reason: string): ScheduleError {
  return { member: 'schedule', reason };
}

function nextTimes(cron: Cron, timezone: string, byTheClock: boolean, from: number, most: number): number[] {
  const found = new Set<number>();
  // From before: what the clocks show may have been shown already.
  let wall: Date | null = new Date(wallTime(from, timezone) - LARGEST_CHANGE_MS);
  let end = Number.POSITIVE_INFINITY;
  for (;;) {
    wall = cron.nextRun(wall);
    if (wall === null) break;
    const times = timesOf(wall.getTime(), timezone, byTheClock);
    // What comes on the wall from here on comes after `end`.
    if (wall.getTime() > end) break;
    for (const time of times) if (time > from) found.add(time);
    if (end === Number.POSITIVE_INFINITY && found.size >= most) end = wall.getTime() + LARGEST_CHANGE_MS;
  }
  return [...found].sort((one, other) => one - other).slice(0, most);
}

function timesOf(wall: number, timezone: string, byTheClock: boolean): readonly number[] {
  const found = instantsOf(wall, timezone);
  switch (found.kind) {
    case 'one':
      return [found.at];
    case 'two':
      return byTheClock ? [found.earlier, found.later] : [found.earlier];
    case 'none':
      return byTheClock ? [] : [found.later];
    default:
      return found satisfies never;
  }
}
