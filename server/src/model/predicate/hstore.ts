/** Values of hstore: an object of strings and nulls, as reads give them, or the text of PostgreSQL. */
import { jsonPath } from '@joinery/metadata/commands/edit/arguments';
import { ServiceError } from '../../base/errors.ts';

/** `"a"=>"1", "b"=>NULL`. Throws `parse-failed` with the path of a member that is neither a string nor null. */
export function hstoreText(pairs: Readonly<Record<string, unknown>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => {
      if (value === null) return `${quoted(key)}=>NULL`;
      if (typeof value === 'string') return `${quoted(key)}=>${quoted(value)}`;
      const message = 'hstore holds strings and nulls; write numbers, booleans and JSON as strings';
      throw new ServiceError('parse-failed', message, { path: jsonPath([key]) });
    })
    .join(', ');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Only these are white space to hstore. */
const space = '[ \\t\\n\\v\\f\\r]*';
const inQuotes = '"(?:[^"\\\\]|\\\\[^])*"';
const key = `(?:${inQuotes}|(?:[^ \\t\\n\\v\\f\\r"=\\\\]|\\\\[^])(?:[^ \\t\\n\\v\\f\\r=\\\\]|\\\\[^])*)`;
const value = `(?:${inQuotes}|(?:[^ \\t\\n\\v\\f\\r"\\\\]|\\\\[^])(?:[^ \\t\\n\\v\\f\\r,\\\\]|\\\\[^])*)`;
const pair = `${key}${space}=>${space}${value}${space}`;

const spaces = new RegExp(space, 'y');
/** The last one may have a comma behind it. */
const pairAndNext = new RegExp(`${pair}(?:,${space}|$)`, 'y');

/**
 * What hstore reads, told beforehand: to PostgreSQL a mistake in it is one in the syntax of the statement, and in older
 * versions an internal error. Pair by pair: a million of them are more than one expression can go back over.
 */
export const hstoreForm = {
  test(text: string): boolean {
    spaces.lastIndex = 0;
    spaces.test(text);
    let at = spaces.lastIndex;
    while (at < text.length) {
      pairAndNext.lastIndex = at;
      if (!pairAndNext.test(text)) return false;
      at = pairAndNext.lastIndex;
    }
    return true;
  },
};
