/** How long keys and sessions may be cached. */

/** Milliseconds without usable caching headers. */
const defaultAge = 600_000;
export const longestAge = 86_400_000;

/** Returns milliseconds from `now`, by `Cache-Control` or else `Expires`; at most a day. */
export function maxAgeOf(headers: readonly (readonly [name: string, value: string])[], now: number): number {
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const control = header('cache-control') ?? '';
  if (/\bno-(cache|store)\b/i.test(control)) return 0;
  const seconds = /\b(?:s-maxage|max-age)=(\d+)/i.exec(control)?.[1];
  const age = seconds === undefined ? (expiresIn(header('expires') ?? '', now) ?? defaultAge) : Number(seconds) * 1000;
  return Math.min(Math.max(age, 0), longestAge);
}

/** Returns the milliseconds from `now` to an HTTP date such as `Mon, 02 Jan 2034 15:04:05 GMT`; undefined for any other text. */
export function expiresIn(date: string, now: number): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date.trim())) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time - now;
}
