/** Runs claims one at a time. Requests during a claim are combined into one more claim. */

export interface ClaimTurns {
  /** Requests a claim: there may be something to claim. */
  wake(): void;
  /** Stops claiming. Resolves when the running claim has ended. */
  stop(): Promise<void>;
}

export interface ClaimTurnsSettings {
  /**
   * Claims once. Resolves to the milliseconds after which to claim again without a request; undefined if everything was
   * claimed. Must not reject.
   */
  readonly claim: () => Promise<number | undefined>;
  /** Shortest time between the starts of two claims, in milliseconds. */
  readonly gapMs: number;
}

export function createClaimTurns({ claim, gapMs }: ClaimTurnsSettings): ClaimTurns {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let nextTurn: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;

  function next(): void {
    if (!wanted || stopped || running !== undefined || timer !== undefined) return;
    const wait = lastStart + gapMs - performance.now();
    if (wait <= 0) running = run();
    else {
      timer = setTimeout(() => {
        timer = undefined;
        next();
      }, wait);
    }
  }

  async function run(): Promise<void> {
    wanted = false;
    lastStart = performance.now();
    const againMs = await claim();
    running = undefined;
    if (againMs === 0) wanted = true;
    // A request during the claim does not wait for the pause after it.
    if (wanted || againMs === undefined) next();
    else nextTurn = setTimeout(wake, againMs);
  }

  function wake(): void {
    wanted = true;
    clearTimeout(nextTurn);
    next();
  }

  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(nextTurn);
      await running;
    },
  };
}
