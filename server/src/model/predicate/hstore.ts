/** Values of hstore: objects of strings and nulls, or the text format of PostgreSQL. */

import { ServiceError } from '../../base/errors.ts';
import { jsonPath } from '../../base/json-value.ts';

/** Returns text such as `"a"=>"1", "b"=>NULL`. Throws `parse-failed` with the path of a member of another kind. */
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

/** The white space of hstore. */
const space = '[ \\t\\n\\v\\f\\r]*';
const inQuotes = '"(?:[^"\\\\]|\\\\[^])*"';
const key = `(?:${inQuotes}|(?:[^ \\t\\n\\v\\f\\r"=\\\\]|\\\\[^])(?:[^ \\t\\n\\v\\f\\r=\\\\]|\\\\[^])*)`;
const value = `(?:${inQuotes}|(?:[^ \\t\\n\\v\\f\\r"\\\\]|\\\\[^])(?:[^ \\t\\n\\v\\f\\r,\\\\]|\\\\[^])*)`;
const pair = `${key}${space}=>${space}${value}${space}`;

const spaces = new RegExp(space, 'y');
/** The last pair may be followed by a comma. */
const pairAndNext = new RegExp(`${pair}(?:,${space}|$)`, 'y');

/**
 * Tests whether PostgreSQL can parse the text, because PostgreSQL reports an error in it as a syntax error of the statement
 * or an internal error. Tests pair by pair, because one expression could not backtrack over a million pairs.
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
