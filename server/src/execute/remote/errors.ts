/** The errors of a remote schema's answer, each with the field of the request that it is about. */
import { ServiceError } from '../../base/errors.ts';
import { firstMessage } from '../../model/remote/introspection.ts';
import type { Fault, ResponsePath } from '../response/field-errors.ts';
import type { RemoteAnswer } from './call.ts';

/** What went wrong in one field of the request. */
export interface FieldFaults {
  /** Nothing of its value can be trusted. */
  readonly whole: boolean;
  readonly faults: readonly Fault[];
}

/**
 * By alias, for those of `aliases` that failed. An error that does not say where it happened, or not in one of them, is
 * about all of them; so are all errors when there is no data. `pathOf` gives the place of an alias in our own request,
 * `skipped` how many fields of an error's path lie between the alias and the value that is wanted.
 */
export function faultsByKey(
  { data, errors, note }: RemoteAnswer,
  aliases: readonly string[],
  pathOf: (alias: string | undefined) => string,
  skipped = 0,
): ReadonlyMap<string, FieldFaults> {
  const found = new Map<string, { whole: boolean; faults: Fault[] }>();
  if (errors.length === 0) return found;
  const noData = data === undefined;
  const known = new Set(aliases);
  const add = (alias: string, whole: boolean, fault: Fault) => {
    const one = found.get(alias) ?? { whole: false, faults: [] };
    found.set(alias, one);
    one.whole ||= whole;
    one.faults.push(fault);
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
  // A field that is null for another's sake must not be null without a reason.
  const [first] = [...everywhere, ...[...found.values()].flatMap(({ faults }) => faults.map(({ error }) => error))];
  for (const alias of aliases) {
    for (const error of everywhere) add(alias, true, { error, below: [], unlocated: true });
    if (noData && first !== undefined && !found.has(alias)) {
      add(alias, true, { error: first, below: [], unlocated: true });
    }
  }
  return found;
}

function pathIn(written: unknown): ResponsePath | undefined {
  const path = isObject(written) ? written.path : undefined;
  const isPath = Array.isArray(path) && path.every((key) => typeof key === 'string' || typeof key === 'number');
  return isPath ? (path as ResponsePath) : undefined;
}

/** Clients of a remote schema know its messages and extensions, so they stay as they are but for stack traces. */
function errorOf(written: unknown, internal: unknown, path: string): ServiceError {
  const extensions = isObject(written) && isObject(written.extensions) ? written.extensions : {};
  const { exception: _exception, stacktrace: _stacktrace, ...shown } = extensions;
  return new ServiceError('remote-schema-error', firstMessage([written]) ?? '', {
    path,
    internal,
    ...(Object.keys(shown).length > 0 && { extensions: shown }),
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
