/** Long work in steps: between them the event loop handles what has happened meanwhile. */

/** Resolves after the events that wait, such as requests to `/healthz`, have been handled. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
