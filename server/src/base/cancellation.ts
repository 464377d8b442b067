/** Cancellation of the work of one request. An AbortController would take about 20 us to create. */
import { ServiceError } from './errors.ts';

export class Cancellation {
  #aborted = false;
  #reason: unknown;
  #listeners: Set<() => void> | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** The argument of `abort`. Canceled work rejects with it where it is a ServiceError. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Sets `aborted` and calls the listeners. Has no effect when called again. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** Calls `listener` on `abort`, or at once when aborted already. Returns a function that removes the listener. */
  whenAborted(listener: () => void): () => void {
    if (this.#aborted) {
      listener();
      return () => undefined;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Returns a cancellation that is also aborted by this one. Call `release` when it is no longer needed. */
  child(): { readonly cancellation: Cancellation; readonly release: () => void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.whenAborted(() => cancellation.abort(this.#reason)) };
  }
}

/** The error of canceled work: the reason where it is a ServiceError, otherwise one with status 499. */
export function cancellationError({ reason }: Cancellation): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('unexpected', 'the request was canceled', { status: 499, cause: reason });
}

/** Runs `work`. After `ms` its signal is aborted and the result is rejected with `late`, also where the work does not end. */
export async function withinMs<T>(
  ms: number,
  late: () => Error,
  work: (signal: Cancellation) => Promise<T>,
): Promise<T> {
  const signal = new Cancellation();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(late());
      signal.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}
