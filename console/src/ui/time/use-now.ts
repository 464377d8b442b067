/** The current time, updated once a second by one timer for all components. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(notify: () => void): () => void {
  listeners.add(notify);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(notify);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const notify of listeners) notify();
}

/** Milliseconds since 1970, at most one second old. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current);
}

/** Without listeners the timer is stopped, so the time must be updated before it is read. */
function current(): number {
  if (timer === undefined) now = Date.now();
  return now;
}
