/** Counters and histograms that are cheap to update on each request. */

/** Upper bounds of the histogram buckets, in seconds. */
export const bucketEnds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Maximum series of one metric, because labels may come from requests. Further ones count as `other`. */
const MOST_SERIES = 1_000;

/** Returns the key of a series, made of its label values. */
export function seriesOf(...values: readonly (string | number)[]): string {
  return values.join('\n');
}

/** Returns the labels of a series. */
export function labelsOf(names: readonly string[], series: string): Record<string, string> {
  const values = series.split('\n');
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

function bounded<Value>(known: ReadonlyMap<string, Value>, series: string): string {
  return known.has(series) || known.size < MOST_SERIES ? series : series.replaceAll(/[^\n]+/g, 'other');
}

/** Counters by series. */
export class Counts {
  readonly series = new Map<string, number>();

  add(series: string, count = 1): void {
    const key = bounded(this.series, series);
    this.series.set(key, (this.series.get(key) ?? 0) + count);
  }
}

export interface Duration {
  /** Count of each bucket, not cumulative. The last bucket has no upper bound. */
  readonly buckets: number[];
  /** Sum. */
  seconds: number;
}

/** Histograms of durations by series. */
export class Durations {
  readonly series = new Map<string, Duration>();

  add(series: string, durationMs: number): void {
    const key = bounded(this.series, series);
    let duration = this.series.get(key);
    if (duration === undefined) {
      duration = { buckets: new Array(bucketEnds.length + 1).fill(0), seconds: 0 };
      this.series.set(key, duration);
    }
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (bucket < bucketEnds.length && seconds > (bucketEnds[bucket] ?? 0)) bucket += 1;
    duration.buckets[bucket] = (duration.buckets[bucket] ?? 0) + 1;
    duration.seconds += seconds;
  }
}
