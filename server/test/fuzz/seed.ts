/** The seed and the extent of the random tests: `FUZZ_SEED=<number>` or `random`, and `FUZZ_SCALE=<factor>`. */
import type fc from 'fast-check';

const written = process.env.FUZZ_SEED ?? '1';

/** Selects the inputs of all random tests. Throws a TypeError if `FUZZ_SEED` is invalid. */
export const seed = written === 'random' ? Math.floor(Math.random() * 1_000_000) : wholeNumber('FUZZ_SEED', written);

/** Multiplies the number of inputs. */
const scale = wholeNumber('FUZZ_SCALE', process.env.FUZZ_SCALE ?? '1');

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TypeError(`${name} must be a whole number, and is "${text}"`);
}

/** Returns the number of inputs of a test that has `usual` of them in CI. */
export function inputs(usual: number): number {
  return usual * scale;
}

/** Returns the parameters of `fc.assert` for a property with `usual` inputs in CI. */
export function fuzz<Input>(usual: number): fc.Parameters<Input> {
  return { seed, numRuns: inputs(usual) };
}

/** For tests whose number of inputs is bounded, and whose duration depends on the machine. A parser that hangs fails then. */
export const unhurried = { timeout: 1_200_000 };
