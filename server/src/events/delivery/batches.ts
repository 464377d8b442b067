/** Gathers items into batches: one goes at once while nothing is under way, many go together under load. */

export interface Batches<Item> {
  add(item: Item): void;
  /** Items not yet done with. */
  size(): number;
  /** Resolves when every item is done with. */
  settled(): Promise<void>;
}

export interface BatchSettings<Item> {
  /** Items in one batch at most. */
  readonly most: number;
  /** Batches under way at the same time. */
  readonly parallel: number;
  /** Does one batch. Must not reject. */
  readonly run: (items: readonly Item[]) => Promise<void>;
  /** Called when a batch is done and no longer counts. */
  readonly onDone?: () => void;
  /** Least milliseconds from one batch to the next. */
  readonly gapMs?: number;
  /** Closes a batch early, when what it weighs adds up to `heaviest`. */
  readonly weigh?: (item: Item) => number;
  readonly heaviest?: number;
}

/** Items that are added in one turn of the event loop make one batch, as do those that come while batches run. */
export function createBatches<Item>(settings: BatchSettings<Item>): Batches<Item> {
  let waiting: Item[] = [];
  let running = 0;
  let size = 0;
  let scheduled = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  const onSettled: (() => void)[] = [];

  function cut(): Item[] {
    let count = Math.min(waiting.length, settings.most);
    if (settings.weigh !== undefined) count = light(count, settings.weigh, settings.heaviest ?? Infinity);
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  /** How many of the first `count` stay under the weight; at least one. */
  function light(count: number, weigh: (item: Item) => number, heaviest: number): number {
    let sum = 0;
    for (let index = 0; index < count; index += 1) {
      const item = waiting[index];
      sum += item === undefined ? 0 : weigh(item);
      if (sum > heaviest) return Math.max(index, 1);
    }
    return count;
  }

  function schedule(): void {
    if (scheduled || running >= settings.parallel || waiting.length === 0) return;
    scheduled = true;
    const wait = lastStart + (settings.gapMs ?? 0) - performance.now();
    if (wait > 0) setTimeout(start, wait);
    else setImmediate(start);
  }

  function start(): void {
    scheduled = false;
    lastStart = performance.now();
    while (running < settings.parallel && waiting.length > 0) {
      const batch = cut();
      running += 1;
      settings.run(batch).finally(() => {
        running -= 1;
        size -= batch.length;
        if (size === 0) for (const resolve of onSettled.splice(0)) resolve();
        schedule();
        settings.onDone?.();
      });
    }
  }

  return {
    add(item) {
      waiting.push(item);
      size += 1;
      schedule();
    },
    size: () => size,
    settled: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => onSettled.push(resolve))),
  };
}
