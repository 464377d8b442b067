/** How often lists are read again: every few seconds, and less often where reading them takes long. */

export interface Timed<Value> {
  readonly value: Value;
  readonly durationMs: number;
}

/** The result of `work` with the time it took. */
export async function timed<Value>(work: Promise<Value>): Promise<Timed<Value>> {
  const started = performance.now();
  const value = await work;
  return { value, durationMs: performance.now() - started };
}

const DEFAULT_INTERVAL_MS = 4_000;
/** Of the time, a poll may keep the service busy for one part in so many. */
const SHARE = 20;

/** Milliseconds until the next reading. */
export function intervalAfter(durationMs: number | undefined): number {
  return Math.max(DEFAULT_INTERVAL_MS, SHARE * (durationMs ?? 0));
}

/** For `refetchInterval` of a query that holds a Timed value. A hidden tab is not polled. */
export function adaptiveInterval(query: { readonly state: { readonly data: Timed<unknown> | undefined } }): number {
  return intervalAfter(query.state.data?.durationMs);
}
