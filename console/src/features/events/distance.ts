/** Parses durations: `2 hours`, `in 1 day 6 h`, `90 min`. Pure. */

const units: readonly (readonly [pattern: RegExp, seconds: number])[] = [
  [/^(s|sec|secs|seconds?)$/, 1],
  [/^(m|min|mins|minutes?)$/, 60],
  [/^(h|hrs?|hours?)$/, 3_600],
  [/^(d|days?)$/, 86_400],
  [/^(w|weeks?)$/, 604_800],
];

/** Returns seconds. Undefined for invalid text. */
export function readDistance(text: string): number | undefined {
  const written = text
    .trim()
    .toLowerCase()
    .replace(/^in\s+/, '');
  if (!/^(\d+(\.\d+)?\s*[a-z]+[\s,]*(and\s+)?)+$/.test(written)) return undefined;
  let seconds = 0;
  for (const [, count, unit = ''] of written.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const size = units.find(([pattern]) => pattern.test(unit))?.[1];
    if (size === undefined) return undefined;
    seconds += Number(count) * size;
  }
  return seconds;
}
