/** Written values in the text form of PostgreSQL. */
import { ServiceError } from '../../base/errors.ts';
import { encode } from '../../model/predicate/encode.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import { encodeParameter } from '../../postgres/sql/parameters.ts';

/** Returns the text form of `value`. Throws a ServiceError under `path` for a value that is invalid for the type. */
export function encodeText(type: ColumnType, value: unknown, path: string): string | null {
  try {
    const text = encodeParameter(encode(type, value));
    return text === null ? null : String(text);
  } catch (error) {
    throw error instanceof ServiceError ? error.under(path) : error;
  }
}
