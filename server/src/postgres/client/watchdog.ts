/** Polls running and waiting statements for cancellation and timeouts. */

export interface Watched {
  /** Called every few milliseconds with the time of `performance.now()`. */
  check(now: number): void;
}

export interface Watchdog {
  watch(watched: Watched): void;
  forget(watched: Watched): void;
  /** Returns how many milliseconds late the event loop recently was. */
  lag(): number;
}

/**
 * The interval of one timer for all statements, which runs while there are any. A listener and a timer for each statement
 * would cost 20 us per statement; most statements end before the first check.
 */
const intervalMs = 20;

export function createWatchdog(): Watchdog {
  const all = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = 0;
  let lag = 0;

  function checkAll(): void {
    const now = performance.now();
    lag = Math.max(now - checkedAt - intervalMs, lag * 0.9);
    checkedAt = now;
    for (const watched of all) watched.check(now);
    if (all.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(watched) {
      all.add(watched);
      if (timer !== undefined) return;
      checkedAt = performance.now();
      timer = setInterval(checkAll, intervalMs);
    },
    forget: (watched) => all.delete(watched),
    lag: () => lag,
  };
}
