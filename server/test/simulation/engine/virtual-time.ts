/** Virtual time: tasks that run one after the other at their times, without waiting. */

export interface Task {
  readonly at: number;
  readonly run: () => void | Promise<void>;
  canceled: boolean;
}

export interface VirtualTime {
  /** Milliseconds since the start of the simulation. */
  now(): number;
  /** Runs `run` at this time, or now where it has passed. Tasks of the same time run in the order in which they were added. */
  at(time: number, run: Task['run']): Task;
  after(ms: number, run: Task['run']): Task;
  /** Runs tasks until `done` returns true, none is left, or the time `end` is reached. */
  run(end: number, done: () => boolean): Promise<void>;
}

/** Of this module, because the global functions are replaced while a simulation runs. */
const realSetImmediate = globalThis.setImmediate;

export function createVirtualTime(): VirtualTime {
  let now = 0;
  /** Sorted by time, the earliest last. */
  const tasks: Task[] = [];

  function at(time: number, run: Task['run']): Task {
    const task = { at: Math.max(time, now), run, canceled: false };
    let low = 0;
    let high = tasks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tasks[middle]?.at ?? 0) > task.at) low = middle + 1;
      else high = middle;
    }
    tasks.splice(low, 0, task);
    return task;
  }

  return {
    now: () => now,
    at,
    after: (ms, run) => at(now + ms, run),
    async run(end, done) {
      while (!done()) {
        const task = tasks.pop();
        if (task === undefined) return;
        if (task.canceled) continue;
        if (task.at > end) {
          tasks.push(task);
          now = end;
          return;
        }
        now = task.at;
        await task.run();
        // Promises that the task has resolved continue before the next task.
        await new Promise((resolve) => realSetImmediate(resolve));
      }
    },
  };
}
