/** The slots of calls that all delivery engines of a node share, by the limits of each destination and of the node. */

/** The current limits of a destination. */
export interface Allowance {
  /** Concurrent items; 0 while none may start. */
  readonly concurrency: number;
  /** Shortest time between two starts in milliseconds; 0 for no limit. */
  readonly gapMs: number;
  /** Set if the limits are below the defaults: queued items beyond the capacity are left to other nodes. */
  readonly limited?: boolean;
}

export interface CallSlots {
  /** Whether the node has a free slot. */
  hasRoom(): boolean;
  /** Returns the milliseconds until a call to the destination may start; infinite while all its slots are taken. */
  delayOf(destination: string): number;
  take(destination: string): void;
  /** Frees a slot and offers it to the engines, as `offer` does. */
  release(destination: string): void;
  /** Offers the free slots to the engines in turn, another one first each time, so that no engine waits for all calls of another. */
  offer(destination: string): void;
  /** Adds an engine. `start` starts its waiting calls, to this destination and others. Returns a function that removes the engine. */
  join(start: (destination: string) => void): () => void;
}

export interface CallSlotSettings {
  readonly allowance: (destination: string) => Allowance;
  /** Concurrent calls to all destinations. */
  readonly overall: number;
}

interface Use {
  running: number;
  /** Earliest next start at a rate-limited destination, by the monotonic clock. */
  nextStart: number;
}

/** A start that is late by at most this does not delay the next start. */
const LATENESS_TOLERANCE_MS = 20;

export function createCallSlots({ allowance, overall }: CallSlotSettings): CallSlots {
  const used = new Map<string, Use>();
  const engines: ((destination: string) => void)[] = [];
  let running = 0;

  function useOf(destination: string): Use {
    let use = used.get(destination);
    if (use === undefined) {
      use = { running: 0, nextStart: 0 };
      used.set(destination, use);
    }
    return use;
  }

  function offer(destination: string): void {
    const first = engines.shift();
    if (first !== undefined) engines.push(first);
    for (const start of [...engines]) start(destination);
  }

  return {
    hasRoom: () => running < overall,
    delayOf(destination) {
      const { concurrency, gapMs } = allowance(destination);
      const use = used.get(destination);
      if ((use?.running ?? 0) >= concurrency) return Number.POSITIVE_INFINITY;
      return gapMs === 0 ? 0 : (use?.nextStart ?? 0) - performance.now();
    },
    take(destination) {
      const use = useOf(destination);
      const { gapMs } = allowance(destination);
      running += 1;
      use.running += 1;
      if (gapMs > 0) use.nextStart = Math.max(use.nextStart, performance.now() - LATENESS_TOLERANCE_MS) + gapMs;
    },
    release(destination) {
      const use = useOf(destination);
      running -= 1;
      use.running -= 1;
      if (use.running === 0 && use.nextStart <= performance.now()) used.delete(destination);
      offer(destination);
    },
    offer,
    join(start) {
      engines.push(start);
      return () => {
        const at = engines.indexOf(start);
        if (at >= 0) engines.splice(at, 1);
      };
    },
  };
}
