/** JSON that preserves all digits of numbers, also those beyond a double. */

/** Members of `JSON` that the TypeScript library does not declare yet. */
interface ExactJson {
  /** Returns an object that `JSON.stringify` prints as the given JSON text. */
  readonly rawJSON?: (text: string) => unknown;
}

interface Source {
  readonly source?: string;
}

/**
 * Parses JSON. Numbers that a double cannot represent become raw JSON, which only `JSON.stringify` can read. Throws
 * SyntaxError.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, preserveDigits);
}

/** A reviver for `JSON.parse`. */
export function preserveDigits(_key: string, value: unknown, context?: Source): unknown {
  if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
  return (JSON as ExactJson).rawJSON?.(context.source) ?? value;
}

/** Prints JSON with indentation. */
export function printPretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}

/** Returns JSON text with indentation. Text that is not JSON is returned unchanged. */
export function prettyText(text: string): string {
  try {
    return printPretty(parseExactly(text));
  } catch {
    return text;
  }
}

/** Returns the browser's error message for text that is not JSON, else undefined. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
