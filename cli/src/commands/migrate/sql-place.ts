/** Where in a file of SQL PostgreSQL found an error. */

import type { Place } from '../../cli-error.ts';
import type { RefusedError } from '../../client/connection.ts';

/**
 * The place of what was refused; undefined where PostgreSQL did not tell one. `before` is what stands in the file before
 * the SQL that was sent.
 */
export function sqlPlace(file: string, sql: string, error: RefusedError, before = ''): Place | undefined {
  const { error: told } = (error.internal ?? {}) as { readonly error?: { readonly position?: unknown } };
  const position = told?.position;
  if (typeof position !== 'number') return undefined;
  // Characters of PostgreSQL are code points, from 1.
  const lines = (before + [...sql].slice(0, position - 1).join('')).split('\n');
  return { file, line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
