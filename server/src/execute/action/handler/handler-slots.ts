/** A semaphore: limits the number of concurrent calls. Further callers wait in order of arrival, up to a timeout. */
import type { Cancellation } from '../../../base/cancellation.ts';
import { UpstreamError } from '../../../base/http-client/http-client.ts';

interface Waiter {
  readonly enter: () => void;
}

export class Slots {
  #used = 0;
  readonly #waiting = new Set<Waiter>();

  /**
   * Resolves when fewer than `max` slots are in use. The caller must call the returned function to release its slot.
   * Rejects with an UpstreamError after `timeoutMs`, or when `signal` is aborted.
   */
  async enter(max: number, timeoutMs: number, signal?: Cancellation): Promise<() => void> {
    if (this.#used >= max || this.#waiting.size > 0) await this.#wait(max, timeoutMs, signal);
    else this.#used += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#used -= 1;
      const [next] = this.#waiting;
      // The limit can change with the metadata, so `max` may differ between callers.
      if (next !== undefined && this.#used < max) next.enter();
    };
  }

  #wait(max: number, timeoutMs: number, signal: Cancellation | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let unsubscribe: (() => void) | undefined;
      const end = (): void => {
        clearTimeout(timer);
        unsubscribe?.();
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        enter: () => {
          end();
          this.#used += 1;
          resolve();
        },
      };
      const timer = setTimeout(() => {
        end();
        const message = `all ${max} slots for calls of this action were in use for ${timeoutMs} ms`;
        reject(new UpstreamError('timeout', message));
      }, timeoutMs);
      this.#waiting.add(waiter);
      unsubscribe = signal?.whenAborted(() => {
        end();
        reject(new UpstreamError('aborted', 'the call was canceled'));
      });
    });
  }
}
