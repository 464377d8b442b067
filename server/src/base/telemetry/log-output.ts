/** Where the lines of the log go when nobody looks at a terminal. */
import { type DestinationStream, pino } from 'pino';

/** Characters that wait for an output that takes none, before further lines are dropped. */
const mostWaiting = 1_048_576;

/**
 * Standard output, a batch of lines at a time: a write for each would cost as much as the answer it tells of.
 * An output that is gone or full costs lines, never the service: what could not be written is tried again with the
 * next lines.
 */
export function standardOutput(): DestinationStream & { flush(): void } {
  const out = pino.destination({ sync: true, minLength: 8_192, maxLength: mostWaiting, periodicFlush: 100 });
  // With a listener an error of writing is an event; without one it would end the process.
  out.on('error', () => undefined);
  // Not `flushSync`: that one tries for ever to write to a reader that has gone.
  const flush = (): void => out.flush();
  // The library sees to the end of the process for asynchronous destinations alone.
  process.once('exit', flush);
  return { write: (line) => void out.write(line), flush };
}
