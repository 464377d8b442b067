/** When an event is due: a timestamp, or what the clocks of a time zone show. */
import type { z } from 'zod';
import { instantsOf, isTimeZone } from './local-times.ts';
import { hasOffset, readTimestamp } from './timestamps.ts';

interface Written {
  readonly schedule_at?: string | undefined;
  readonly timezone?: string | null | undefined;
  readonly dst?: 'earlier' | 'later' | null | undefined;
}

/** The instant in UTC with microseconds, or what is wrong with which member. */
export type ReadMoment =
  | { readonly instant: string }
  | { readonly member: 'schedule_at' | 'timezone' | 'dst'; readonly reason: string };

/** `schedule_at` counts as UTC where it has no offset and there is no `timezone`. */
export function readMoment({ schedule_at, timezone, dst }: Written & { readonly schedule_at: string }): ReadMoment {
  const read = readTimestamp(schedule_at);
  if ('reason' in read) return { member: 'schedule_at', reason: read.reason };
  if (timezone === null || timezone === undefined) {
    if (dst !== null && dst !== undefined) return { member: 'dst', reason: 'goes with a timezone only' };
    return read;
  }
  if (hasOffset(schedule_at)) {
    return { member: 'timezone', reason: 'schedule_at has an offset from UTC already; leave out the one or the other' };
  }
  if (!isTimeZone(timezone)) {
    return { member: 'timezone', reason: 'must be a time zone of the IANA database, such as "Europe/Berlin"' };
  }
  const found = instantsOf(Date.parse(`${read.instant.slice(0, 23)}Z`), timezone);
  const at =
    found.kind === 'one' ? found.at : dst === 'earlier' ? found.earlier : dst === 'later' ? found.later : undefined;
  const instant = (milliseconds: number): string =>
    `${new Date(milliseconds).toISOString().slice(0, -1)}${read.instant.slice(23)}`;
  if (at !== undefined) return { instant: instant(at) };
  if (found.kind === 'one') throw new Error('one instant has one time');
  const how = found.kind === 'two' ? 'comes twice' : 'does not come, because the clocks are put forward,';
  const [earlier, later] = [short(found.earlier), short(found.later)];
  return {
    member: 'schedule_at',
    reason: `${how} in ${timezone}: say which is meant, "dst": "earlier" for ${earlier} or "dst": "later" for ${later}`,
  };
}

function short(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.?0*Z$/, 'Z');
}

/** The arguments of a command with the instant in place of the moment; left out where there was none. */
export function momentOf<Args extends Written>(
  args: Args,
  context: z.RefinementCtx,
): Omit<Args, 'schedule_at' | 'timezone' | 'dst'> & { readonly at: Args['schedule_at'] } {
  const { schedule_at, timezone, dst, ...rest } = args;
  if (schedule_at === undefined) {
    for (const [member, value] of [['timezone', timezone] as const, ['dst', dst] as const]) {
      if (typeof value === 'string') {
        context.addIssue({ code: 'custom', message: 'goes with schedule_at only', path: [member] });
      }
    }
    return { ...rest, at: undefined };
  }
  const read = readMoment({ schedule_at, timezone, dst });
  if ('instant' in read) return { ...rest, at: read.instant };
  context.addIssue({ code: 'custom', message: read.reason, path: [read.member] });
  return { ...rest, at: '' };
}
