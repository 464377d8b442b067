/** Long synchronous work as generators. Between slices of it the event loop handles other events. */

/** Work that yields after each step and returns its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Milliseconds of one slice. */
const SLICE_MS = 15;

/** Runs all steps synchronously. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps in slices of a few milliseconds. */
export async function runInSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (performance.now() < end);
    await yieldToEvents();
  }
}

/** Resolves after pending events, such as requests to `/healthz`, have been handled. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
