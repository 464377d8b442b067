/** How long the answer of another service may be kept. */

/** Milliseconds, where the answer does not say it. */
const standardAge = 600_000;
const longestAge = 86_400_000;

/** Milliseconds from `now`: what `Cache-Control` says, else `Expires`, and never more than a day. */
export function maxAgeOf(headers: readonly (readonly [name: string, value: string])[], now: number): number {
  const named = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const control = named('cache-control') ?? '';
  if (/\bno-(cache|store)\b/i.test(control)) return 0;
  const seconds = /\b(?:s-maxage|max-age)=(\d+)/i.exec(control)?.[1];
  const expires = Date.parse(named('expires') ?? '');
  const age = seconds !== undefined ? Number(seconds) * 1000 : Number.isNaN(expires) ? standardAge : expires - now;
  return Math.min(Math.max(age, 0), longestAge);
}
