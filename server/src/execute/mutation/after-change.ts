/** Errors after a part of a mutation has been committed. */
import { ServiceError } from '../../base/errors.ts';

/**
 * Runs the rest of a mutation after its first part has been committed. Rejects with `unknown-outcome` in place of `busy`,
 * because clients retry the whole mutation after `busy`.
 */
export async function afterChange<T>(rest: () => Promise<T>): Promise<T> {
  try {
    return await rest();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'busy') throw error;
    const message =
      'a part of the mutation was committed, and the rest failed because a database was not reachable; check which changes were made before you repeat the request';
    throw new ServiceError('unknown-outcome', message, { path: error.path, internal: error.internal, cause: error });
  }
}
