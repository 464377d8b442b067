/** A message about a service that does not respond, once per command. */
import { progress, warn } from '../print.ts';

/** Milliseconds without a response after which the message is printed. */
const SILENT_MS = 3000;

let hasWarned = false;

/** Runs a request and prints the message where it takes longer. `timeoutMs` 0 is for SQL, which may take any time. */
export async function warnWhileSilent<T>(endpoint: string, timeoutMs: number, send: () => Promise<T>): Promise<T> {
  if (timeoutMs === 0 || hasWarned) return send();
  const timer = setTimeout(() => {
    hasWarned = true;
    progress(undefined);
    warn(`${endpoint} has not responded for ${SILENT_MS / 1000} s; waiting up to ${timeoutMs / 1000} s`);
  }, SILENT_MS);
  timer.unref();
  try {
    return await send();
  } finally {
    clearTimeout(timer);
  }
}
