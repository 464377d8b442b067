/** What a caller gets that has itself given up. */
import { ServiceError } from '../../base/errors.ts';
import type { Cancellation } from './statement-run.ts';

/** The reason of the signal, where it is an error of ours. */
export function abortError(signal: Cancellation): ServiceError {
  if (signal.reason instanceof ServiceError) return signal.reason;
  return new ServiceError('unexpected', 'the request was cancelled', { status: 499, cause: signal.reason });
}
