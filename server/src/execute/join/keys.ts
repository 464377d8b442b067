/** Join keys: values by key, and their text forms for PostgreSQL. */
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';
import type { ColumnType } from '../../model/types/column-type.ts';

export type JoinKeyValue = readonly unknown[];

/** Values by key. A key of one string or number is not printed, because that would cost more than finding its value. */
export class KeyMap<Value> {
  readonly #simple = new Map<unknown, Value>();
  readonly #printed = new Map<string, Value>();

  get(key: JoinKeyValue): Value | undefined {
    return isSimple(key) ? this.#simple.get(key[0]) : this.#printed.get(printJson(key));
  }

  set(key: JoinKeyValue, value: Value): void {
    if (isSimple(key)) this.#simple.set(key[0], value);
    else this.#printed.set(printJson(key), value);
  }
}

function isSimple(key: JoinKeyValue): boolean {
  return key.length === 1 && (typeof key[0] === 'number' || typeof key[0] === 'string');
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
