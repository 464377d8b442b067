/** Counts and times, cheap enough for the path of every request; read when somebody asks for metrics. */

/** Upper ends of the buckets of times, in seconds. */
export const bucketEnds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Different series of one metric at most: their labels come from outside as well. Others count under `other`. */
const MOST_SERIES = 1_000;

/** The key of a series: the values of its labels. */
export function seriesOf(...values: readonly (string | number)[]): string {
  return values.join('\n');
}

/** The values of the labels of a series. */
export function labelsOf(names: readonly string[], series: string): Record<string, string> {
  const values = series.split('\n');
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

function bounded<Value>(known: ReadonlyMap<string, Value>, series: string): string {
  return known.has(series) || known.size < MOST_SERIES ? series : series.replaceAll(/[^\n]+/g, 'other');
}

/** How often, by series. */
export class Counts {
  readonly series = new Map<string, number>();

  add(series: string, count = 1): void {
    const key = bounded(this.series, series);
    this.series.set(key, (this.series.get(key) ?? 0) + count);
  }
}

export interface Duration {
  /** How often each bucket was hit, not cumulated; the last one holds what took longer than all ends. */
  readonly buckets: number[];
  /** All times together. */
  seconds: number;
}

/** How long, by series. */
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
