/** Compares a response with the result of the oracle. */
import { Unordered } from './oracle.ts';

/** Returns a message on the first difference, undefined if there is none. The order of members must be equal. */
export function difference(expected: unknown, actual: unknown, path = 'data'): string | undefined {
  if (expected instanceof Unordered) return unorderedDifference(expected.items, actual, path);
  if (typeof expected === 'number' && typeof actual === 'number') {
    // PostgreSQL computes with more digits than a double, and rounds differently.
    const close = Math.abs(expected - actual) <= 1e-8 * Math.max(1, Math.abs(expected));
    return close ? undefined : message(expected, actual, path);
  }
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) {
    return expected === actual ? undefined : message(expected, actual, path);
  }
  if (Array.isArray(expected) !== Array.isArray(actual)) return message(expected, actual, path);
  const [names, others] = [Object.keys(expected), Object.keys(actual)];
  if (Array.isArray(expected) ? names.length !== others.length : names.join() !== others.join()) {
    return message(expected, actual, path);
  }
  for (const name of names) {
    const [one, other] = [expected, actual].map((value) => (value as Readonly<Record<string, unknown>>)[name]);
    const found = difference(one, other, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unorderedDifference(expected: readonly unknown[], actual: unknown, path: string): string | undefined {
  if (!Array.isArray(actual) || actual.length !== expected.length) return message(expected, actual, path);
  const remaining: unknown[] = [...actual];
  for (const item of expected) {
    const at = remaining.findIndex((other) => difference(item, other) === undefined);
    if (at < 0) return `${path}: no ${JSON.stringify(item)} among ${JSON.stringify(remaining).slice(0, 400)}`;
    remaining.splice(at, 1);
  }
  return undefined;
}

function message(expected: unknown, actual: unknown, path: string): string {
  return `${path}: expected ${JSON.stringify(expected)?.slice(0, 600)}, got ${JSON.stringify(actual)?.slice(0, 600)}`;
}
