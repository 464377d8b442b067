/** Converts between instants and local times of a time zone. A local time has two, one or no instants at a clock change. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns undefined for a name that is not in the IANA time zone database. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      era: 'short',
    });
    formats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}

/** Whether `zone` is a time zone. Offsets such as `+02:00` are not, since they have no daylight saving time. */
export function isTimeZone(zone: string): boolean {
  return /^[A-Za-z]/.test(zone) && formatOf(zone) !== undefined;
}

/** Returns the local time of an instant, as the milliseconds since 1970 of the same time in UTC. */
export function wallTime(instant: number, zone: string): number {
  const format = formatOf(zone);
  if (format === undefined) throw new RangeError(`no time zone: ${zone}`);
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const date = new Date(0);
  date.setUTCFullYear(parts.get('era') === 'BC' ? 1 - part('year') : part('year'), part('month') - 1, part('day'));
  date.setUTCHours(part('hour'), part('minute'), part('second'));
  return date.getTime() + (((instant % 1_000) + 1_000) % 1_000);
}

const DAY_MS = 86_400_000;

export type Instants =
  | { readonly kind: 'one'; readonly at: number }
  /** The local time occurs twice. */
  | { readonly kind: 'two'; readonly earlier: number; readonly later: number }
  /** The local time is skipped: `later` uses the offset before the change, `earlier` the one after it. */
  | { readonly kind: 'none'; readonly earlier: number; readonly later: number };

/** Returns the instants, in milliseconds since 1970, of a local time `wall` in the form of `wallTime`. */
export function instantsOf(wall: number, zone: string): Instants {
  const offsetBefore = wallTime(wall - DAY_MS, zone) - (wall - DAY_MS);
  const offsetAfter = wallTime(wall + DAY_MS, zone) - (wall + DAY_MS);
  const [one, other] = [wall - offsetBefore, wall - offsetAfter];
  if (one === other) return { kind: 'one', at: one };
  const right = [one, other].filter((instant) => wallTime(instant, zone) === wall);
  const [earlier, later] = one < other ? [one, other] : [other, one];
  if (right.length === 2) return { kind: 'two', earlier, later };
  return right[0] === undefined ? { kind: 'none', earlier, later } : { kind: 'one', at: right[0] };
}
