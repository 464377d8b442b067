/** How long a response may be cached. */

/** Milliseconds without caching headers. */
const defaultAge = 600_000;
const longestAge = 86_400_000;

/** Returns milliseconds from `now`, by `Cache-Control` or else `Expires`; at most a day. */
export function maxAgeOf(headers: readonly (readonly [name: string, value: string])[], now: number): number {
  const header = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const control = header('cache-control') ?? '';
  if (/\bno-(cache|store)\b/i.test(control)) return 0;
  const seconds = /\b(?:s-maxage|max-age)=(\d+)/i.exec(control)?.[1];
  const expires = Date.parse(header('expires') ?? '');
  const age = seconds !== undefined ? Number(seconds) * 1000 : Number.isNaN(expires) ? defaultAge : expires - now;
  return Math.min(Math.max(age, 0), longestAge);
}
