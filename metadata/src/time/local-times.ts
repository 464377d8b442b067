/** What the clocks of a time zone show, and which instants show a given time: two, one or none when clocks are changed. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** Undefined for a name that is not in the IANA time zone database. */
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

/** Offsets such as `+02:00` are no time zones: they know no daylight saving, and belong into the timestamp. */
export function isTimeZone(zone: string): boolean {
  return /^[A-Za-z]/.test(zone) && formatOf(zone) !== undefined;
}

/** What the clocks of the zone show at an instant, as the milliseconds since 1970 at which clocks in UTC show it. */
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
  /** The clocks show this time twice. */
  | { readonly kind: 'two'; readonly earlier: number; readonly later: number }
  /** The clocks skip this time: it would be `later` by the offset before the change, `earlier` by the one after it. */
  | { readonly kind: 'none'; readonly earlier: number; readonly later: number };

/** When the clocks of `zone` show `wall`, which is given as `wallTime` gives it. Milliseconds since 1970. */
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
