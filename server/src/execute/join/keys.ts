/** Keys of joins: what tells them apart, and their text forms for PostgreSQL. */
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';
import type { ColumnType } from '../../model/types/column-type.ts';

export type JoinKeyValue = readonly unknown[];

/** Equal for keys that are equal. Those of one part are mostly plain numbers and strings, which need no printing. */
export function nameOfKey(key: JoinKeyValue): string {
  const [part] = key;
  if (key.length !== 1) return printJson(key);
  if (typeof part === 'string') return `"${part}`;
  return typeof part === 'number' ? String(part) : printJson(part);
}

/** Can nothing belong to the key? A part that is null matches nothing, nor does a list without items. */
export function matchesNothing(key: JoinKeyValue, list: number | undefined): boolean {
  if (key.some((part) => part === null || part === undefined)) return true;
  if (list === undefined) return false;
  const items = key[list];
  return Array.isArray(items) && items.every((item) => item === null);
}

/** The text form of one part of a key, for a cast to `type`; a list becomes array text. Throws `data-exception`. */
export function textOfPart(part: unknown, type: ColumnType | undefined): string {
  const isJson = type?.family === 'json' || type?.family === 'jsonb';
  return Array.isArray(part) && !isJson ? arrayText(part, type?.element) : plainText(part);
}

function plainText(part: unknown): string {
  if (typeof part === 'string') {
    // An element of an array cannot hold it, nor can any value that it might match.
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
