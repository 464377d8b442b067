/** Join keys: their identity, and their text forms for PostgreSQL. */
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';
import type { ColumnType } from '../../model/types/column-type.ts';

export type JoinKeyValue = readonly unknown[];

/** Returns a string that identifies the key. Keys of one number or string are not printed as JSON, for speed. */
export function nameOfKey(key: JoinKeyValue): string {
  const [part] = key;
  if (key.length !== 1) return printJson(key);
  if (typeof part === 'string') return `"${part}`;
  return typeof part === 'number' ? String(part) : printJson(part);
}

/** Whether the key matches nothing: a part is null, or all items of its list are. */
export function matchesNothing(key: JoinKeyValue, list: number | undefined): boolean {
  if (key.some((part) => part === null || part === undefined)) return true;
  if (list === undefined) return false;
  const items = key[list];
  return Array.isArray(items) && items.every((item) => item === null);
}

/** Returns the text form of a part of a key for a cast to `type`. A list becomes array text. Throws `data-exception`. */
export function textOfPart(part: unknown, type: ColumnType | undefined): string {
  const isJson = type?.family === 'json' || type?.family === 'jsonb';
  return Array.isArray(part) && !isJson ? arrayText(part, type?.element) : plainText(part);
}

function plainText(part: unknown): string {
  if (typeof part === 'string') {
    // PostgreSQL text cannot contain NUL, so the key can match no value.
    if (part.includes('\0')) throw new ServiceError('data-exception', 'a join key holds the character NUL');
    return part;
  }
  if (typeof part === 'object') return part instanceof ExactNumber ? part.text : printJson(part);
  return String(part);
}

/** `{"a","b",NULL}` */
function arrayText(items: readonly unknown[], element: ColumnType | undefined): string {
  const texts = items.map((item) => {
    if (item === null || item === undefined) return 'NULL';
    const nested = Array.isArray(item) && element?.family !== 'json' && element?.family !== 'jsonb';
    return nested ? arrayText(item, element) : `"${plainText(item).replaceAll(/[\\"]/g, '\\$&')}"`;
  });
  return `{${texts.join(',')}}`;
}
