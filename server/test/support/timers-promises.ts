/**
 * `node:timers/promises` with waits by the global function, which fake timers replace:
 * `vi.mock('node:timers/promises', () => import('.../test/support/timers-promises.ts'))`.
 */

interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Resolves to `value` after `ms` milliseconds; rejects with the reason of the signal when it is aborted. */
function wait<T>(ms: number, value?: T, { signal }: WaitOptions = {}): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => resolve(value), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

export { wait as setTimeout };
