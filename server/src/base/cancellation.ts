/** Says that nobody waits for a result any more. Made for each request: an AbortController costs some 20 us, this none. */

export class Cancellation {
  #aborted = false;
  #listeners: Set<() => void> | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** From now on `aborted` is true; listeners are called once. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** Calls `listener` when it comes to that, at once if it has; the function that is returned lets go of it. */
  whenAborted(listener: () => void): () => void {
    if (this.#aborted) {
      listener();
      return () => undefined;
    }
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** A cancellation of its own that also ends with this one; `release` once it is not needed any more. */
  child(): { readonly cancellation: Cancellation; readonly release: () => void } {
    const cancellation = new Cancellation();
    return { cancellation, release: this.whenAborted(() => cancellation.abort()) };
  }
}
