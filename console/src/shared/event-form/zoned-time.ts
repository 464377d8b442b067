/** Local times of a time zone as values of `datetime-local` inputs. Pure. */
import { instantsOf, wallTime } from '@joinery/metadata/time/local-times';
import { fromUtcInput, localZone, utcInput } from '../../ui/time/times.ts';

/** Some browsers do not list UTC. */
export const zones: string[] = [...new Set(['UTC', localZone(), ...Intl.supportedValuesOf('timeZone')])];

export type Pass = 'earlier' | 'later';

/** Returns the local time in the zone to the second. */
export function zonedInput(ms: number, zone: string): string {
  return utcInput(wallTime(ms, zone));
}

export interface ZonedTime {
  readonly ms: number;
  /** Set at a clock change: the local time occurs twice, or never. */
  readonly change?: 'twice' | 'never';
}

/** Undefined for an incomplete input. A local time that does not occur is moved forward by the clock change. */
export function fromZonedInput(text: string, zone: string, pass: Pass): ZonedTime | undefined {
  const wall = fromUtcInput(text);
  if (wall === undefined) return undefined;
  const found = instantsOf(wall, zone);
  switch (found.kind) {
    case 'one':
      return { ms: found.at };
    case 'two':
      return { ms: found[pass], change: 'twice' };
    case 'none':
      return { ms: found.later, change: 'never' };
    default:
      return found satisfies never;
  }
}
