/** Formats and parses times and durations in the browser's time zone and language. */

const durationUnits: readonly (readonly [name: string, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Formats `6 hours`, `1 minute 30 seconds`: the two largest units that are not zero. */
export function durationOf(seconds: number): string {
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [name, size] of durationUnits) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
  }
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** A month and a year as their mean. */
const distanceUnits: readonly (readonly [name: string, seconds: number])[] = [
  ['year', 31_556_952],
  ['month', 2_629_746],
  ...durationUnits,
];

/** Formats `in 2 hours`, `3 minutes ago`, `now`, with the largest unit only. */
export function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  const distance = Math.abs(seconds);
  const [name, size] = distanceUnits.find((unit) => distance >= unit[1]) ?? ['second', 1];
  const count = Math.floor(distance / size);
  if (count === 0) return 'now';
  const text = `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
  return seconds > 0 ? `in ${text}` : `${text} ago`;
}

/** Formats `12 ms`, `1.25 s`. */
export function millisecondsOf(duration: number): string {
  return duration < 1_000 ? `${duration} ms` : `${(duration / 1_000).toFixed(2)} s`;
}

const two = (number: number): string => String(number).padStart(2, '0');

/** The value of a `datetime-local` input in local time. */
export function localInput(ms: number): string {
  const at = new Date(ms);
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The value of a `datetime-local` input in UTC. */
export function utcInput(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

/** Milliseconds since 1970. Undefined for an incomplete input. */
export function fromLocalInput(text: string): number | undefined {
  return validTime(new Date(text).getTime());
}

export function fromUtcInput(text: string): number | undefined {
  return validTime(new Date(`${text}Z`).getTime());
}

function validTime(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms;
}

/** Such as `Europe/Berlin`. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Formats local date and time to the second in the browser's language. */
export function localText(ms: number): string {
  return dateAndTime.format(ms);
}

/** Formats `2026-09-01 08:00:00` in local time, which has the same width for every time. */
export function lineText(ms: number): string {
  return localInput(ms).replace('T', ' ');
}

/** Formats `2026-09-01 08:00:00.250 UTC`. */
export function utcText(ms: number): string {
  return `${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}
