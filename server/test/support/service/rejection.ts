/** What an attempt is refused with. */
import { ServiceError } from '../../../src/base/errors.ts';

export interface Refused {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** Rejects when it is not refused, or by something else than a ServiceError. */
export async function refusal(attempt: Promise<unknown>): Promise<Refused> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error('was not refused', { cause: error });
  return { code: error.code, path: error.path, message: error.message };
}
