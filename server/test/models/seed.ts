/** The seed and the extent of the model-based tests: `MODEL_SEED=<number>` or `random`, and `MODEL_SCALE=<factor>`. */
import type fc from 'fast-check';

const written = process.env.MODEL_SEED ?? '1';

/** Selects the commands of all model-based tests. Throws a TypeError if `MODEL_SEED` is invalid. */
const seed = written === 'random' ? Math.floor(Math.random() * 1_000_000) : wholeNumber('MODEL_SEED', written);

/** Multiplies the number of runs. */
const scale = wholeNumber('MODEL_SCALE', process.env.MODEL_SCALE ?? '1');

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`${name} must be a whole number, and is "${text}"`);
}

/** Returns the parameters of `fc.assert` for a property with `usual` runs in CI. A failure has the seed and the commands. */
export function modelRuns<Input>(usual: number): fc.Parameters<Input> {
  // Runs and the reduction of a failure end before the time-out of the test, so that the report has the seed.
  return { seed, numRuns: usual * scale, interruptAfterTimeLimit: 1_100_000, markInterruptAsFailure: true };
}

/** For tests whose number of runs is bounded, and whose duration depends on the machine. */
export const unhurried = { timeout: 1_200_000 };
