/** Whether a series is flat at its end. */

export interface Point {
  readonly seconds: number;
  readonly value: number;
}

export interface Trend {
  /** Medians of the second and of the last quarter of the time. */
  readonly middle: number;
  readonly end: number;
  readonly isFlat: boolean;
}

/** Growth of the median that counts as flat: this share of it, or this difference where values are small. */
const SHARE = 0.15;

/** Compares the last quarter of the time with the second one: the first quarter fills caches, pools and retained rows. */
export function trendOf(points: readonly Point[], allowed: number): Trend {
  const last = points.at(-1)?.seconds ?? 0;
  const within = (from: number, to: number): number =>
    median(points.filter(({ seconds }) => seconds >= last * from && seconds <= last * to).map(({ value }) => value));
  const [middle, end] = [within(0.25, 0.5), within(0.75, 1)];
  return { middle, end, isFlat: end - middle <= Math.max(middle * SHARE, allowed) };
}

/** Returns the middle value; of an even number the larger of the two. 0 of none. */
function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value that the share `q` of the values does not exceed. 0 of none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}
