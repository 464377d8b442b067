/** The error of a call that must be rejected. */
import { ServiceError } from '../../../src/base/errors.ts';

export interface Refused {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** Returns the ServiceError that `attempt` rejects with. Rejects if it succeeds or fails with another error. */
export async function refusal(attempt: Promise<unknown>): Promise<Refused> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error('was not refused', { cause: error });
  return { code: error.code, path: error.path, message: error.message };
}
