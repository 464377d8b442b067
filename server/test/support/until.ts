/** Waits for conditions in tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TestRunner } from 'vitest';

/** The longest wait in hooks and outside of tests; the time-out of hooks is longer. */
const DEFAULT_SECONDS = 100;

/** How long before the time-out of the test a wait ends, so that the report has its message. */
const MARGIN_MS = 1_000;

export interface UntilOptions {
  /** A shorter limit, or a longer one outside of tests. */
  readonly seconds?: number;
  readonly intervalMs?: number;
}

type Result<T> = T | false | undefined | Promise<T | false | undefined>;

/**
 * Polls `condition` and returns its first result that is not false or undefined. Throws an error with `what`, which
 * completes the sentence "waited until", before the time-out of the current test. Errors of `condition` are passed on.
 */
export async function until<T>(
  what: string | (() => string),
  condition: () => Result<T>,
  options: UntilOptions = {},
): Promise<T> {
  const began = Date.now();
  const deadline = deadlineOf(options.seconds);
  const over = new AbortController();
  const timedOut = sleep(Math.max(0, deadline - began), undefined, { signal: over.signal }).then(() => {
    throw new Error(
      `Waited ${Math.round((Date.now() - began) / 1_000)} s without success until ${typeof what === 'string' ? what : what()}.`,
    );
  });
  const poll = async (): Promise<T> => {
    while (!over.signal.aborted) {
      const result = await condition();
      if (result !== false && result !== undefined) return result;
      await sleep(options.intervalMs ?? 10);
    }
    throw new Error('aborted');
  };
  try {
    return await Promise.race([poll(), timedOut]);
  } finally {
    timedOut.catch(() => undefined);
    over.abort();
  }
}

function deadlineOf(seconds: number | undefined): number {
  const wanted = Date.now() + (seconds ?? DEFAULT_SECONDS) * 1_000;
  const test = TestRunner.getCurrentTest();
  if (test === undefined) return wanted;
  const { hooks, startTime } = test.result ?? {};
  // Hooks have other time-outs than tests.
  if (startTime === undefined || hooks?.beforeEach === 'run' || hooks?.afterEach === 'run') return wanted;
  const last = startTime + test.timeout - MARGIN_MS;
  return seconds === undefined ? last : Math.min(wanted, last);
}
