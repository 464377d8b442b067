/** Positions of PostgreSQL errors in SQL files. */

import type { Place } from '../../cli-error.ts';
import type { ServiceError } from '../../client/connection.ts';

/**
 * Returns the place of an error; undefined where PostgreSQL reported no position. `before` is the text of the file before
 * the SQL that was sent.
 */
export function sqlPlace(file: string, sql: string, error: ServiceError, before = ''): Place | undefined {
  const { error: reported } = (error.internal ?? {}) as { readonly error?: { readonly position?: unknown } };
  const position = reported?.position;
  if (typeof position !== 'number') return undefined;
  // PostgreSQL counts code points from 1.
  const lines = (before + [...sql].slice(0, position - 1).join('')).split('\n');
  return { file, line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
