/** Cursors of connections, with the encoding of Hasura v2: base64 of a JSON object with the values that rows are sorted by. */
import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import type { CursorPart } from '../plan/query.ts';
import { fromBase64, readKeyValue } from './json-values.ts';

/** Returns the parameters for the values of the cursor, in the order of `parts`. Throws `validation-failed` with `path`. */
export function readCursor(text: unknown, parts: readonly CursorPart[], path: string): readonly unknown[] {
  try {
    const cursor = fromBase64(String(text));
    return parts.map((part) => {
      const value = readKeyValue(part.type, valueAt(cursor, part.path));
      if (value === null && !part.nullable) throw new SyntaxError('the value cannot be null');
      return value;
    });
  } catch (cause) {
    throw new ServiceError('validation-failed', 'the "after" or "before" cursor is invalid', { path, cause });
  }
}

function valueAt(cursor: unknown, path: readonly string[]): unknown {
  let value = cursor;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) throw new SyntaxError('a value is missing');
    value = value[name];
  }
  return value;
}
