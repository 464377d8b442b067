/** Finds out whether a standby has replayed a position, with at most one statement at a time. */
import { withinMs } from '../../base/cancellation.ts';
import type { Database } from '../../postgres/client/pool.ts';
import { includes, readReplayed, type WalPosition } from './wal-position.ts';

/** Milliseconds after which the standby is passed over. */
const TIMEOUT_MS = 250;

/** Milliseconds after which a position is read again although it includes what is wanted: a standby may be replaced. */
const VALID_MS = 10_000;

/** Returns a function that never rejects: it resolves to false where the position of the standby is not known. */
export function createReplayCheck(standby: Database): (wanted: WalPosition) => Promise<boolean> {
  let known: { readonly position: WalPosition; readonly at: number } | undefined;
  let reading: Promise<WalPosition> | undefined;

  /** A reading under way is good enough: a position only increases. */
  function read(): Promise<WalPosition> {
    const at = performance.now();
    reading ??= withinMs(
      TIMEOUT_MS,
      () => new Error('no response'),
      (signal) => readReplayed(standby, { signal }),
    )
      .then((position) => {
        known = { position, at };
        return position;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  return async (wanted) => {
    if (known !== undefined && performance.now() - known.at < VALID_MS && includes(known.position, wanted)) return true;
    try {
      return includes(await read(), wanted);
    } catch {
      return false;
    }
  };
}

/**
 * Returns a function that reads. Calls during a reading share the next one, so that each result is from after its call.
 */
export function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<void> | undefined;
  let next: Promise<T> | undefined;

  function start(): Promise<T> {
    next = undefined;
    const current = read();
    const ended = current
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        if (running === ended) running = undefined;
      });
    running = ended;
    return current;
  }

  return () => {
    if (running === undefined) return start();
    next ??= running.then(start);
    return next;
  };
}
