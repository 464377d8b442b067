/** JSON whose numbers keep the digits they were written with, also those that a double cannot hold. */

/** Members of JSON that the library types do not know yet. */
interface ExactJson {
  /** Stands for a JSON text; `JSON.stringify` prints it as it is. */
  readonly rawJSON?: (text: string) => unknown;
}

interface Source {
  readonly source?: string;
}

/** Throws SyntaxError. Numbers that would come out differently become raw JSON, which only `JSON.stringify` can read. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, preserveDigits);
}

/** For `JSON.parse`, as the second argument. */
export function preserveDigits(_key: string, value: unknown, context?: Source): unknown {
  if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value;
  return (JSON as ExactJson).rawJSON?.(context.source) ?? value;
}

/** On several lines, to be read by people. */
export function printPretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'null';
}

/** The same JSON on several lines; a text that is no JSON as it is. */
export function prettyText(text: string): string {
  try {
    return printPretty(parseExactly(text));
  } catch {
    return text;
  }
}

/** What is wrong with a text that should be JSON, in the words of the browser; undefined when nothing is. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
