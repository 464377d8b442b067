/**
 * Returns the memory that the start and changes of the metadata leave behind to the operating system, while the process is idle.
 * Not that of requests: a collection also shrinks the young generation, which makes the next requests slower (bench/README.md).
 */
import { Session } from 'node:inspector';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

export interface IdleMemory {
  /** Releases memory once, as soon as the process is idle. */
  release(): void;
  stop(): void;
}

interface IdleMemoryOptions {
  /** Calls `done` after the collection, which blocks the event loop for some 2 ms for each MB of objects that remain. */
  readonly collect?: (done: () => void) => void;
  readonly utilization?: (since: EventLoopUtilization) => EventLoopUtilization;
  readonly usedBytes?: () => number;
  /** Milliseconds that the process must be idle. */
  readonly idleMs?: number;
}

const IDLE_MS = 1_000;
/** The share of the time that the event loop of an idle process is active. */
const IDLE_SHARE = 0.05;
/** Above it, the collection would block the event loop for longer than any request may. */
const MOST_BYTES = 100_000_000;

export function createIdleMemory({
  collect = collectGarbage,
  utilization = (since) => performance.eventLoopUtilization(since),
  usedBytes = () => getHeapStatistics().used_heap_size,
  idleMs = IDLE_MS,
}: IdleMemoryOptions = {}): IdleMemory {
  let timer: NodeJS.Timeout | undefined;
  /** Bytes that remained after the last collection: V8 does not distinguish objects in use from garbage without one. */
  let remaining: number | undefined;

  function wait(): void {
    const since = performance.eventLoopUtilization();
    timer = setTimeout(() => {
      timer = undefined;
      if (utilization(since).utilization > IDLE_SHARE) wait();
      else if ((remaining ?? usedBytes()) <= MOST_BYTES) {
        collect(() => {
          remaining = usedBytes();
        });
      }
    }, idleMs);
    timer.unref();
  }

  return {
    release: () => {
      clearTimeout(timer);
      wait();
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Collects as V8 does when the memory of the machine is low. It shrinks the young generation, which the start extends to
 * 32 MB and an idle process never shrinks. The inspector protocol has the only function for it, and opens no port here.
 */
function collectGarbage(done: () => void): void {
  const session = new Session();
  session.connect();
  // The collection is a task of the event loop. A session that is closed before or within it blocks the process.
  session.post('HeapProfiler.collectGarbage', () =>
    setImmediate(() => {
      session.disconnect();
      done();
    }),
  );
}
