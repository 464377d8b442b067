/** The time limit of a role for one operation. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import type { Cancellation } from '../../base/cancellation.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';

/** The time limit of one operation, from its arrival to the end of its execution. */
export interface RequestTime {
  readonly role: RoleName;
  readonly seconds: number;
  /** As `performance.now()`. */
  readonly endsAt: number;
}

/** Returns the limit of an operation that starts now; undefined where the role has none. */
export function startTime(role: RoleName, { limits }: Model): RequestTime | undefined {
  const seconds =
    role === ADMIN_ROLE ? undefined : (limits?.time_limit?.per_role?.[role] ?? limits?.time_limit?.global);
  return seconds === undefined ? undefined : { role, seconds, endsAt: performance.now() + seconds * 1000 };
}

/** Throws `time-limit-exceeded` after the limit. For synchronous work, such as planning. */
export function checkTime(time: RequestTime): void {
  if (performance.now() > time.endsAt) throw exceeded(time);
}

/** Runs `work` and aborts its signal at the limit; then rejects with `time-limit-exceeded`. */
export function runWithinTime<T>(
  time: RequestTime | undefined,
  signal: Cancellation,
  work: (signal: Cancellation) => Promise<T>,
): Promise<T> {
  return time === undefined ? work(signal) : within(time, signal, work);
}

async function within<T>(
  time: RequestTime,
  signal: Cancellation,
  work: (signal: Cancellation) => Promise<T>,
): Promise<T> {
  checkTime(time);
  const { cancellation, release } = signal.child();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    cancellation.abort();
  }, time.endsAt - performance.now());
  try {
    return await work(cancellation);
  } catch (error) {
    if (!late) throw error;
    throw exceeded(time, error);
  } finally {
    clearTimeout(timer);
    release();
  }
}

function exceeded({ seconds, role }: RequestTime, cause?: unknown): ServiceError {
  const message = `the request took longer than the ${seconds} seconds that the role "${role}" may take; request less`;
  return new ServiceError('time-limit-exceeded', message, { cause });
}
