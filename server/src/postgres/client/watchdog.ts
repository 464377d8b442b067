/** Looks after statements that run or wait: who has given up on them, and which have run past their limit. */

export interface Watched {
  /** Called every few milliseconds with the time of `performance.now()`. */
  look(now: number): void;
}

export interface Watchdog {
  watch(watched: Watched): void;
  forget(watched: Watched): void;
}

/**
 * One timer for all, running while anything is watched. A listener on each signal and a timer for each statement would
 * tell a little sooner, but cost 20 us a statement; most statements end before the first look, and then cost nothing.
 */
const intervalMs = 20;

export function createWatchdog(): Watchdog {
  const all = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const now = performance.now();
    for (const watched of all) watched.look(now);
    if (all.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(watched) {
      all.add(watched);
      timer ??= setInterval(look, intervalMs);
    },
    forget: (watched) => all.delete(watched),
  };
}
