/** Log lines for a person at a terminal. */
import { createRequire } from 'node:module';
import type { PinoPretty, PrettyStream } from 'pino-pretty';

/** A stream that prints one coloured line an entry: time, level and message, then the other members. */
export function pretty(): PrettyStream {
  // Loaded only where somebody looks: most services write JSON.
  const { PinoPretty: make } = createRequire(import.meta.url)('pino-pretty') as {
    readonly PinoPretty: typeof PinoPretty;
  };
  return make({
    colorize: process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    sync: true,
  });
}
