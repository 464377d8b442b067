/** Waits of `node:timers/promises` by the global function, which fake timers replace. */
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { afterEach, beforeEach } from 'vitest';

interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Resolves to `value` after `ms` milliseconds; rejects with the reason of the signal when it is aborted. */
function wait<T>(ms = 0, value?: T, { signal }: WaitOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => resolve(value as T), ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Registers hooks that replace the function in the tests of a file. */
export function waitByGlobalTimers(): void {
  const original = timersPromises.setTimeout;
  const set = (used: typeof original): void => {
    timersPromises.setTimeout = used;
    // Imports of the name are bound to what this exports.
    syncBuiltinESMExports();
  };
  beforeEach(() => set(wait));
  afterEach(() => set(original));
}
