/** What fails after a change was made must not look as if nothing had happened. */
import { ServiceError } from '../../base/errors.ts';

/**
 * Runs the rest of a mutation whose first part is done. Rejects with `unknown-outcome` in place of `busy`, which invites
 * the client to send the whole mutation again.
 */
export async function afterChange<T>(rest: () => Promise<T>): Promise<T> {
  try {
    return await rest();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'busy') throw error;
    const message = 'a part of the mutation is done, and the rest failed because a database was not reachable';
    throw new ServiceError('unknown-outcome', message, { path: error.path, internal: error.internal, cause: error });
  }
}
