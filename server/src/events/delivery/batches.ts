/** Groups items into batches: a single item runs at once while idle, many run together under load. */

export interface Batches<Item> {
  add(item: Item): void;
  /** Number of items that are waiting or running. */
  size(): number;
  /** Resolves when no item is waiting or running. */
  settled(): Promise<void>;
}

export interface BatchSettings<Item> {
  /** Largest number of items in a batch. */
  readonly most: number;
  /** Number of batches that run at the same time. */
  readonly parallel: number;
  /** Runs one batch. Must not reject. */
  readonly run: (items: readonly Item[]) => Promise<void>;
  /** Called after each batch, when `size` no longer counts its items. */
  readonly onDone?: () => void;
  /** Shortest time between the starts of two batches, in milliseconds. */
  readonly gapMs?: number;
  /**
   * The same while a batch runs, unless a full batch is waiting: fewer and larger batches, but a batch that is blocked delays the
   * others by no more than this.
   */
  readonly overlapMs?: number;
  /** Weight of an item; the weights of a batch add up to at most `heaviest`, unless it has one item. */
  readonly weigh?: (item: Item) => number;
  readonly heaviest?: number;
}

/** Items added in one turn of the event loop form a batch, as do items added while batches run. */
export function createBatches<Item>(settings: BatchSettings<Item>): Batches<Item> {
  let waiting: Item[] = [];
  let running = 0;
  let size = 0;
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;
  const onSettled: (() => void)[] = [];

  function takeBatch(): Item[] {
    let count = Math.min(waiting.length, settings.most);
    if (settings.weigh !== undefined) count = countWithin(count, settings.weigh, settings.heaviest ?? Infinity);
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  /** Returns how many of the first `count` items stay within the weight; at least one. */
  function countWithin(count: number, weigh: (item: Item) => number, heaviest: number): number {
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
    const overlaps = running > 0 && waiting.length < settings.most;
    const gap = (overlaps ? settings.overlapMs : undefined) ?? settings.gapMs ?? 0;
    const wait = lastStart + gap - performance.now();
    if (wait > 0) timer = setTimeout(start, wait);
    else setImmediate(start);
  }

  /** Schedules anew: a batch has ended or is full. */
  function reschedule(): void {
    if (timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
      scheduled = false;
    }
    schedule();
  }

  function start(): void {
    scheduled = false;
    timer = undefined;
    lastStart = performance.now();
    while (running < settings.parallel && waiting.length > 0) {
      const batch = takeBatch();
      running += 1;
      settings.run(batch).finally(() => {
        running -= 1;
        size -= batch.length;
        if (size === 0) for (const resolve of onSettled.splice(0)) resolve();
        reschedule();
        settings.onDone?.();
      });
    }
  }

  return {
    add(item) {
      waiting.push(item);
      size += 1;
      if (waiting.length === settings.most) reschedule();
      else schedule();
    },
    size: () => size,
    settled: () => (size === 0 ? Promise.resolve() : new Promise((resolve) => onSettled.push(resolve))),
  };
}
