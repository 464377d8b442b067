/** Errors of arguments that are well-formed and cannot be used. */
import { ServiceError } from '../../base/errors.ts';
import { jsonPath } from '../../base/json-value.ts';

/** Returns a path below `$.args`. */
export function argumentPath(path: readonly PropertyKey[]): string {
  return jsonPath(path, '$.args');
}

/** Throws `parse-failed` for the argument at the path. */
export function rejectArgument(message: string, path: readonly PropertyKey[]): never {
  throw new ServiceError('parse-failed', message, { path: argumentPath(path) });
}

/** Runs `work` and rethrows its ServiceError with the path of an argument. */
export function withArgumentPath<Result>(path: readonly PropertyKey[], work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(error.code, error.message, { path: argumentPath(path) });
    throw error;
  }
}

/** Whether `text` can be an `event_id`. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
