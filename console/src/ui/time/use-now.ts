/** The time, once a second, one timer for all who ask. */
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

/** Milliseconds since 1970, at most a second old. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, current);
}

/** Nobody listening means that the time stands still, and must be set before it is read. */
function current(): number {
  if (timer === undefined) now = Date.now();
  return now;
}
