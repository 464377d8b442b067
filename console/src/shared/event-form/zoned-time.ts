/** Times on the wall of a time zone, as inputs of type `datetime-local` have them. Pure. */
import { instantsOf, wallTime } from '@joinery/metadata/time/local-times';
import { fromUtcInput, localZone, utcInput } from '../../ui/time/times.ts';

/** UTC is no name of a place, and not in the list of every browser. */
export const zones: string[] = [...new Set(['UTC', localZone(), ...Intl.supportedValuesOf('timeZone')])];

export type Pass = 'earlier' | 'later';

/** What the clocks of the zone show, to the second. */
export function zonedInput(ms: number, zone: string): string {
  return utcInput(wallTime(ms, zone));
}

export interface ZonedTime {
  readonly ms: number;
  /** The clocks are changed there: they show the time twice, or never. */
  readonly change?: 'twice' | 'never';
}

/** Undefined for an input that is half filled in. A time that never comes is as much later as the clocks go forward. */
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
