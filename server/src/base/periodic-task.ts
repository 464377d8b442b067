/** A task that runs at a fixed interval, one run at a time. */

export interface PeriodicTask {
  /** Resolves after the first run. */
  start(): Promise<void>;
  /** Starts a run, unless one is running or the task is stopped. */
  runNow(): void;
  /** Resolves when the last run has ended. */
  stop(): Promise<void>;
}

/** `run` must not reject. A run that takes longer than `everyMs` delays the next one. */
export function createPeriodicTask(run: () => Promise<void>, everyMs: number): PeriodicTask {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function runOnce(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    async start() {
      timer = setInterval(runOnce, everyMs);
      await runOnce();
    },
    runNow() {
      if (timer !== undefined) void runOnce();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
  };
}
