/** The time that a role may take for one request. */
import { ADMIN_ROLE } from '@joinery/metadata/names';
import type { Session } from '../auth/session.ts';
import type { Cancellation } from '../base/cancellation.ts';
import { ServiceError } from '../base/errors.ts';
import type { Model } from '../model/model.ts';

interface Caller {
  readonly session: Session;
  readonly signal: Cancellation;
}

/** What `work` comes to; `time-limit-exceeded`, and its signal aborted, where that takes longer than the role may. */
export function inTime<T>(
  { session: { role }, signal }: Caller,
  { limits }: Model,
  work: (signal: Cancellation) => Promise<T>,
): Promise<T> {
  const seconds =
    role === ADMIN_ROLE ? undefined : (limits?.time_limit?.per_role?.[role] ?? limits?.time_limit?.global);
  return seconds === undefined ? work(signal) : within(seconds, role, signal, work);
}

async function within<T>(
  seconds: number,
  role: string,
  signal: Cancellation,
  work: (signal: Cancellation) => Promise<T>,
): Promise<T> {
  const { cancellation, release } = signal.child();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    cancellation.abort();
  }, seconds * 1000);
  try {
    return await work(cancellation);
  } catch (error) {
    if (!late) throw error;
    const message = `the request took longer than the ${seconds} seconds that the role "${role}" may take; ask for less`;
    throw new ServiceError('time-limit-exceeded', message, { cause: error });
  } finally {
    clearTimeout(timer);
    release();
  }
}
