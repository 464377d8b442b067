/** Items that wait for a moment, and one timer for the earliest of them. */

export interface DelayQueue<Item> {
  /** `at`: milliseconds of the clock that the timetable goes by. */
  add(at: number, item: Item): void;
  size(): number;
  /** Takes everything out. */
  clear(): Item[];
}

interface Entry<Item> {
  readonly at: number;
  readonly item: Item;
}

/** Longest sleep: the clock may be corrected meanwhile. */
const LONGEST_SLEEP_MS = 500;

/**
 * Hands items to `fire` when their moment has come, never before it by `now`: a timer that rings early is set again.
 * Items of one moment come together.
 */
export function createDelayQueue<Item>(now: () => number, fire: (items: Item[]) => void): DelayQueue<Item> {
  /** A binary heap, the earliest at the root. */
  let heap: Entry<Item>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Number.POSITIVE_INFINITY;

  function ring(): void {
    timer = undefined;
    ringsAt = Number.POSITIVE_INFINITY;
    const moment = now();
    const due: Item[] = [];
    for (let first = heap[0]; first !== undefined && first.at <= moment; first = heap[0]) {
      due.push(first.item);
      removeFirst();
    }
    arm();
    if (due.length > 0) fire(due);
  }

  function arm(): void {
    const first = heap[0];
    if (first === undefined || first.at >= ringsAt) return;
    clearTimeout(timer);
    ringsAt = first.at;
    timer = setTimeout(ring, Math.min(Math.max(Math.ceil(first.at - now()), 1), LONGEST_SLEEP_MS));
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
      ringsAt = Number.POSITIVE_INFINITY;
      const items = heap.map((entry) => entry.item);
      heap = [];
      return items;
    },
  };
}
