/** Expects that a call is rejected. */
import { ServiceError } from '../../../src/base/errors.ts';

export interface Rejection {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** Returns the ServiceError that `attempt` rejects with. Rejects if it succeeds or fails with another error. */
export async function rejection(attempt: Promise<unknown>): Promise<Rejection> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error('not rejected with a ServiceError', { cause: error });
  return { code: error.code, path: error.path, message: error.message };
}
