/** Long synchronous work as a generator: wherever it yields, other events may be handled. */
import { yieldToEvents } from './events-first.ts';

/** Work that yields after each of its steps, and returns its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Milliseconds of work after which other events are handled. */
const SLICE_MS = 15;

/** Runs all steps at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs the steps in slices of a few milliseconds; between two slices the event loop handles other events. */
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
