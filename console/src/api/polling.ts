/** How often lists are read again: every few seconds, and less often where reading them takes long. */

export interface Timed<Value> {
  readonly value: Value;
  readonly tookMs: number;
}

/** The result of `work` with the time it took. */
export async function timed<Value>(work: Promise<Value>): Promise<Timed<Value>> {
  const started = performance.now();
  const value = await work;
  return { value, tookMs: performance.now() - started };
}

const USUAL_MS = 4_000;
/** Of the time, a poll may keep the service busy for one part in so many. */
const SHARE = 20;

/** Milliseconds until the next reading. */
export function pauseAfter(tookMs: number | undefined): number {
  return Math.max(USUAL_MS, SHARE * (tookMs ?? 0));
}

/** For `refetchInterval` of a query that holds a Timed value. A hidden tab is not polled. */
export function politely(query: { readonly state: { readonly data: Timed<unknown> | undefined } }): number {
  return pauseAfter(query.state.data?.tookMs);
}
