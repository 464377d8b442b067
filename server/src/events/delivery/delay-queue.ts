/** A queue of items with due times, and one timer for the earliest. */

export interface DelayQueue<Item> {
  /** `at`: the due time in milliseconds, by the clock of the queue. */
  add(at: number, item: Item): void;
  size(): number;
  /** Removes and returns all items. */
  clear(): Item[];
}

interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

/** Longest timer: the clock may be corrected meanwhile. */
const LONGEST_SLEEP_MS = 500;

/**
 * Passes items to `fire` when they are due by `now`, never earlier: a timer that fires early is set again. Items that are
 * due at the same time are passed together.
 */
export function createDelayQueue<Item>(now: () => number, fire: (items: Item[]) => void): DelayQueue<Item> {
  /** A binary heap with the earliest item at the root. */
  let heap: Entry<Item>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let firesAt = Number.POSITIVE_INFINITY;

  function onTimer(): void {
    timer = undefined;
    firesAt = Number.POSITIVE_INFINITY;
    const time = now();
    const due: Item[] = [];
    for (let first = heap[0]; first !== undefined && first.at <= time; first = heap[0]) {
      due.push(first.item);
      removeFirst();
    }
    arm();
    if (due.length > 0) fire(due);
  }

  function arm(): void {
    const first = heap[0];
    if (first === undefined || first.at >= firesAt) return;
    clearTimeout(timer);
    firesAt = first.at;
    timer = setTimeout(onTimer, Math.min(Math.max(Math.ceil(first.at - now()), 1), LONGEST_SLEEP_MS));
  }

  function removeFirst(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const left = heap[child];
      if (left === undefined) break;
      const right = heap[child + 1];
      let least = left;
      if (right !== undefined && right.at < left.at) {
        child += 1;
        least = right;
      }
      if (least.at >= last.at) break;
      heap[index] = least;
      index = child;
    }
    heap[index] = last;
  }

  return {
    add(at, item) {
      const entry = { at, item };
      let index = heap.length;
      heap.push(entry);
      while (index > 0) {
        const up = (index - 1) >> 1;
        const parent = heap[up];
        if (parent === undefined || parent.at <= at) break;
        heap[index] = parent;
        index = up;
      }
      heap[index] = entry;
      arm();
    },
    size: () => heap.length,
    clear() {
      clearTimeout(timer);
      timer = undefined;
      firesAt = Number.POSITIVE_INFINITY;
      const items = heap.map((entry) => entry.item);
      heap = [];
      return items;
    },
  };
}
