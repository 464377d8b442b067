/** Values that are written, in the text form that PostgreSQL reads for their types. */
import { ServiceError } from '../../base/errors.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import { encodeParameter } from '../../postgres/sql/parameters.ts';

/** Throws a ServiceError under `path` for a value that the type does not take. */
export function encodeText(type: ColumnType, value: unknown, path: string): string | null {
  try {
    const text = encodeParameter(encode(type, value));
    return text === null ? null : String(text);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
}
