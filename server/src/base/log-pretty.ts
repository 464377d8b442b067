/** Log lines for a person at a terminal. */
import { PinoPretty, type PrettyStream } from 'pino-pretty';

/** A stream that prints one coloured line an entry: time, kind, then its members. */
export function pretty(): PrettyStream {
  return PinoPretty({
    colorize: process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss.l',
    messageKey: 'kind',
    singleLine: true,
    sync: true,
  });
}
