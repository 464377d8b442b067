/** Counts of requests and errors, cheap enough for the path of every request; read when somebody asks for metrics. */

/** Upper ends of the buckets of durations, in seconds. */
export const bucketEnds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export interface PathTally {
  /** Requests by HTTP status. */
  readonly statuses: Map<number, number>;
  /** Requests in each bucket, not cumulated; the last one holds what took longer than all ends. */
  readonly buckets: number[];
  /** Seconds of all requests. */
  seconds: number;
}

export class RequestTally {
  readonly paths = new Map<string, PathTally>();
  /** Errors that were answered, by code. */
  readonly errors = new Map<string, number>();

  request(path: string, status: number, durationMs: number): void {
    let tally = this.paths.get(path);
    if (tally === undefined) {
      tally = { statuses: new Map(), buckets: new Array(bucketEnds.length + 1).fill(0), seconds: 0 };
      this.paths.set(path, tally);
    }
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const seconds = durationMs / 1000;
    let bucket = 0;
    while (bucket < bucketEnds.length && seconds > (bucketEnds[bucket] ?? 0)) bucket += 1;
    tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
    tally.seconds += seconds;
  }

  error(code: string): void {
    this.errors.set(code, (this.errors.get(code) ?? 0) + 1);
  }
}
