/** The command that previews the next times of a schedule. */
import type { PreviewCronSchedule } from '@joinery/metadata/api/events/cron';
import { rejectArgument } from '../commands/rejected-argument.ts';
import { readSchedule } from './schedule.ts';

/**
 * Returns `{ times }`, the next times after `now` (milliseconds since 1970), in ISO 8601 in UTC. Throws `parse-failed` with
 * the path of the schedule or the time zone.
 */
export function previewCronSchedule(args: PreviewCronSchedule, now: number): { readonly times: readonly string[] } {
  const { schedule, timezone, limit } = args;
  const read = readSchedule(schedule, timezone ?? undefined);
  if ('reason' in read) return rejectArgument(read.reason, [read.member]);
  return { times: read.next(now, limit).map((time) => new Date(time).toISOString().replace('.000Z', 'Z')) };
}
