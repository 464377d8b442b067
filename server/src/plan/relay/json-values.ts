/** Values of columns in global ids and cursors, which are JSON texts in base64. */
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { ColumnType, TypeFamily } from '../../model/types/column-type.ts';

/** Types whose JSON form is read by PostgreSQL without a loss. Values of other types are in the text format of PostgreSQL. */
const native: ReadonlySet<TypeFamily> = new Set([
  ...(['boolean', 'number', 'text', 'citext', 'time', 'interval', 'uuid', 'enum', 'bytes', 'ltree'] as const),
]);

/** Whether a value of the type is in its JSON form; otherwise it is a string in the text format of PostgreSQL. */
export function isNativeJson({ family }: ColumnType): boolean {
  return native.has(family);
}

/** Returns the parameter for a value of an id or a cursor. Throws a ServiceError if it is no value of the type. */
export function readKeyValue(type: ColumnType, value: unknown): unknown {
  if (type.family !== 'jsonb' || typeof value !== 'string') return encode(type, value);
  // The text of the JSON, which distinguishes the null of JSON from that of SQL.
  return encode(type, parsed(value)) ?? 'null';
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new ServiceError('parse-failed', 'the value is not JSON');
  }
}

/** Returns the JSON of a text in base64. Throws a SyntaxError. */
export function fromBase64(text: string): unknown {
  return parseJson(Buffer.from(text, 'base64').toString('utf8'));
}
