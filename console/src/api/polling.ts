/** Intervals of polling: a few seconds, and longer when a request takes long. */

export interface Timed<Value> {
  readonly value: Value;
  readonly durationMs: number;
}

/** Awaits `work` and returns its value with its duration. */
export async function timed<Value>(work: Promise<Value>): Promise<Timed<Value>> {
  const started = performance.now();
  const value = await work;
  return { value, durationMs: performance.now() - started };
}

const DEFAULT_INTERVAL_MS = 4_000;
/** Polling uses at most one part in this many of the time. */
const SHARE = 20;

/** Returns the milliseconds until the next request. */
export function intervalAfter(durationMs: number | undefined): number {
  return Math.max(DEFAULT_INTERVAL_MS, SHARE * (durationMs ?? 0));
}

/** For `refetchInterval` of a query whose data is Timed. Hidden tabs are not polled. */
export function adaptiveInterval(query: { readonly state: { readonly data: Timed<unknown> | undefined } }): number {
  return intervalAfter(query.state.data?.durationMs);
}
