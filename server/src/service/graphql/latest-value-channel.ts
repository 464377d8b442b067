/** A channel with one producer and one reader that holds the latest item only. */

export class LatestValueChannel<Item> implements AsyncGenerator<Item, undefined, undefined> {
  #waiting: { item: Item } | undefined;
  #end: { error?: unknown } | undefined;
  #reader: { resolve(result: IteratorResult<Item, undefined>): void; reject(error: unknown): void } | undefined;
  readonly #left: () => void;

  /** `left` is called when the reader stops reading. */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** Whether the reader waits for the next item. */
  get ready(): boolean {
    return this.#reader !== undefined && this.#end === undefined;
  }

  /** Replaces an item that was not read yet. */
  put(item: Item): void {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) this.#waiting = { item };
    else reader.resolve({ done: false, value: item });
  }

  /** Ends the channel after the waiting item; with an error, reading rejects with it. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader === undefined) return;
    if (error === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(error);
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) return Promise.resolve({ done: false, value: waiting.item });
    const end = this.#end;
    if (end !== undefined) {
      this.#end = {};
      return 'error' in end ? Promise.reject(end.error) : Promise.resolve({ done: true, value: undefined });
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Item, undefined>> {
    this.#waiting = undefined;
    this.end();
    this.#left();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<IteratorResult<Item, undefined>> {
    return this.return().then(() => Promise.reject(error));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.return().then(() => undefined);
  }
}
