/** The variables of an operation or the arguments of a function as rows of a form, and as JSON text. Pure. */
import { jsonProblem, parseExactly, printPretty } from '../../api/exact-json.ts';
import { isJsonObject } from '../../api/json.ts';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import type { Pair } from '../../ui/form/pair-fields.tsx';

/**
 * Returns a row for each member. Strings are templates and shown as they are, other values as JSON. Text that is no JSON
 * object cannot be shown, nor can a string that reads as another value.
 */
export function inputRows(text: string): readonly Pair[] | Unreadable {
  if (text.trim() === '') return [];
  if (jsonProblem(text) !== undefined) return new Unreadable('It is not JSON.');
  const json = parseExactly(text);
  if (!isJsonObject(json)) return new Unreadable('It is one template for all inputs.');
  const rows = Object.entries(json).map(([name, value], key) => ({
    key,
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }));
  const ambiguous = rows.find(({ name, text: shown }) => typeof json[name] === 'string' && isOtherValue(shown));
  return ambiguous === undefined
    ? rows
    : new Unreadable(`"${ambiguous.name}" is a string that reads as another value.`);
}

/** Returns the JSON text of the rows. Rows without a name and a value are omitted. Empty without rows. */
export function inputsText(rows: readonly Pair[]): string {
  const members = rows
    .filter(({ name, text }) => name.trim() !== '' && text !== '')
    .map(({ name, text }) => [name.trim(), isOtherValue(text) ? parseExactly(text) : text] as const);
  return members.length === 0 ? '' : printPretty(Object.fromEntries(members));
}

/** Whether a text is a JSON value that is no string. */
function isOtherValue(text: string): boolean {
  return jsonProblem(text) === undefined && typeof JSON.parse(text) !== 'string';
}

/** Returns the rows with one for each known name, in their order, and the others after them. */
export function withKnown(rows: readonly Pair[], names: readonly string[]): readonly Pair[] {
  const known = names.map((name) => ({ name, text: rows.find((row) => row.name === name)?.text ?? '' }));
  const others = rows.filter(({ name }) => !names.includes(name));
  return [...known, ...others].map((row, key) => ({ ...row, key }));
}
