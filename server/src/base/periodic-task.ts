/** Something that a node does over and over while it lives, one at a time, until it stops. */

export interface PeriodicTask {
  /** Resolves after the first one. */
  start(): Promise<void>;
  /** Resolves when none is under way any more. */
  stop(): Promise<void>;
}

/** `beat` must not reject. */
export function createPeriodicTask(beat: () => Promise<void>, everyMs: number): PeriodicTask {
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;

  function beatOnce(): Promise<void> {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    return beating;
  }

  return {
    async start() {
      timer = setInterval(beatOnce, everyMs);
      await beatOnce();
    },
    async stop() {
      clearInterval(timer);
      await beating;
    },
  };
}
