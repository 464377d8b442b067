/** At most so many at once: others wait in the order they came, for a while. */
import type { Cancellation } from '../../base/cancellation.ts';
import { UpstreamError } from '../../base/http-client/http-client.ts';

interface Waiter {
  readonly enter: () => void;
}

export class Gate {
  #inside = 0;
  readonly #waiting = new Set<Waiter>();

  /**
   * Resolves once fewer than `most` are inside; the function it gives must be called when the work is done. Rejects with an
   * UpstreamError after `timeoutMs`, or when `signal` is aborted.
   */
  async enter(most: number, timeoutMs: number, signal?: Cancellation): Promise<() => void> {
    if (this.#inside >= most || this.#waiting.size > 0) await this.#turn(most, timeoutMs, signal);
    else this.#inside += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inside -= 1;
      const [next] = this.#waiting;
      // What another wanted may be less than `most` of this one: metadata can change between.
      if (next !== undefined && this.#inside < most) next.enter();
    };
  }

  #turn(most: number, timeoutMs: number, signal: Cancellation | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let letGo: (() => void) | undefined;
      const end = (): void => {
        clearTimeout(timer);
        letGo?.();
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        enter: () => {
          end();
          this.#inside += 1;
          resolve();
        },
      };
      const timer = setTimeout(() => {
        end();
        const message = `all ${most} places for calls of this action were taken for ${timeoutMs} ms`;
        reject(new UpstreamError('timeout', message));
      }, timeoutMs);
      this.#waiting.add(waiter);
      letGo = signal?.whenAborted(() => {
        end();
        reject(new UpstreamError('aborted', 'the call was given up'));
      });
    });
  }
}
