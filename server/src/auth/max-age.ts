/** How long keys and sessions may be cached. */

/** Milliseconds without usable caching headers. */
const defaultAge = 600_000;
export const longestAge = 86_400_000;

/**
 * Returns milliseconds from `now`, by `Cache-Control` or else `Expires`; at most a day. An age that is not a number does not
 * count, nor does `Expires` beside it.
 */
export function maxAgeOf(headers: readonly (readonly [name: string, value: string])[], now: number): number {
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const control = header('cache-control') ?? '';
  if (/\bno-(cache|store)\b/i.test(control)) return 0;
  const written = /\b(?:s-maxage|max-age)=([^\s,]*)/i.exec(control)?.[1];
  if (written === undefined && /\bmust-revalidate\b/i.test(control)) return 0;
  const age =
    written === undefined ? (expiresIn(header('expires') ?? '', now) ?? defaultAge) : (ageOf(written) ?? defaultAge);
  return Math.min(Math.max(age, 0), longestAge);
}

function ageOf(seconds: string): number | undefined {
  return /^"?\d+"?$/.test(seconds) ? Number(seconds.replaceAll('"', '')) * 1000 : undefined;
}

/** Returns the milliseconds from `now` to an HTTP date such as `Mon, 02 Jan 2034 15:04:05 GMT`; undefined for any other text. */
export function expiresIn(date: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date.trim())) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time - now;
}
