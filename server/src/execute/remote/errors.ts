/** Assigns the errors of a remote schema's response to the fields of the request. */

import { ServiceError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json-value.ts';
import { firstMessage } from '../../model/remote/introspection.ts';
import type { ResponsePath, ResultError } from '../response/field-errors.ts';
import type { RemoteResponse } from './call.ts';

/** The errors of one field of the request. */
export interface AliasErrors {
  /** Whether the whole value is discarded. */
  readonly whole: boolean;
  readonly errors: readonly ResultError[];
}

/**
 * Returns the errors by alias, for those of `aliases` that failed. An error without a path in one of them applies to all,
 * and so do all errors if there is no data. `pathOf` returns the path of an alias in the client's request. `skipped` is
 * the number of path elements of an error between the alias and the requested value.
 */
export function errorsByAlias(
  { data, errors, note }: RemoteResponse,
  aliases: readonly string[],
  pathOf: (alias: string | undefined) => string,
  skipped = 0,
): ReadonlyMap<string, AliasErrors> {
  const found = new Map<string, { whole: boolean; errors: ResultError[] }>();
  if (errors.length === 0) return found;
  const noData = data === undefined;
  const known = new Set(aliases);
  const add = (alias: string, whole: boolean, error: ResultError) => {
    const one = found.get(alias) ?? { whole: false, errors: [] };
    found.set(alias, one);
    one.whole ||= whole;
    one.errors.push(error);
  };
  const everywhere: ServiceError[] = [];
  for (const written of errors) {
    const path = pathIn(written);
    const alias = path?.[0];
    const error = errorOf(
      written,
      { errors, ...(note !== undefined && { note }) },
      pathOf(typeof alias === 'string' ? alias : undefined),
    );
    if (typeof alias === 'string' && known.has(alias)) {
      add(alias, noData, { error, below: path?.slice(1 + skipped) ?? [] });
    } else everywhere.push(error);
  }
  // Without data, fields that have no error of their own get the first error.
  const [first] = [...everywhere, ...[...found.values()].flatMap(({ errors }) => errors.map(({ error }) => error))];
  for (const alias of aliases) {
    for (const error of everywhere) add(alias, true, { error, below: [], unlocated: true });
    if (noData && first !== undefined && !found.has(alias)) {
      add(alias, true, { error: first, below: [], unlocated: true });
    }
  }
  return found;
}

function pathIn(written: unknown): ResponsePath | undefined {
  const path = isJsonObject(written) ? written.path : undefined;
  const isPath = Array.isArray(path) && path.every((key) => typeof key === 'string' || typeof key === 'number');
  return isPath ? (path as ResponsePath) : undefined;
}

/** Preserves message and extensions of the remote schema, except stack traces. */
function errorOf(written: unknown, internal: unknown, path: string): ServiceError {
  const extensions = isJsonObject(written) && isJsonObject(written.extensions) ? written.extensions : {};
  const { exception: _exception, stacktrace: _stacktrace, ...shown } = extensions;
  return new ServiceError('remote-schema-error', firstMessage([written]) ?? '', {
    path,
    internal,
    ...(Object.keys(shown).length > 0 && { extensions: shown }),
  });
}
