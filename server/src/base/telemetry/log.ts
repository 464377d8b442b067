/** The log: formats observations and masks secrets. */
import { createRequire } from 'node:module';
import { type DestinationStream, pino } from 'pino';
import type { PinoPretty, PrettyStream } from 'pino-pretty';
import type { Observation, Observe } from './observe.ts';
import { createRedactor, maskUrls } from './redact.ts';
import { traceIdsOf } from './trace.ts';

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** `auto` is pretty on a terminal and JSON elsewhere. */
  readonly format: 'json' | 'pretty' | 'auto';
  /** Log every GraphQL operation, not only slow ones. */
  readonly operations?: boolean;
  /** Operations and statements that take longer are logged as warnings; 0 for none. */
  readonly slowMs?: number;
  /** Values that are masked wherever they occur. */
  readonly secrets?: readonly string[];
  /** The id of the process, in each line, where several processes write one log. */
  readonly pid?: number | undefined;
}

export interface Log {
  readonly observe: Observe;
  /** Writes further lines to `sink` as well. */
  exportTo(sink: LogSink): void;
  /** Writes buffered lines. */
  flush(): void;
}

/** A second receiver of lines, whose secrets are masked. */
export interface LogSink {
  write(line: string): void;
}

/** Logs JSON lines to standard output, or colored lines to a terminal. */
export function createLog(settings: LogSettings, destination?: DestinationStream): Log {
  const toTerminal = settings.format === 'pretty' || (settings.format === 'auto' && process.stdout.isTTY);
  const options = {
    level: settings.level,
    base: settings.pid === undefined ? null : { pid: settings.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const redact = createRedactor(settings.secrets ?? []);
  const stream: DestinationStream & { flush?(): void } = destination ?? streamFor(settings, toTerminal);
  let sink: LogSink | undefined;
  const write = (line: string): void => {
    const redacted = redact(line);
    stream.write(redacted);
    sink?.write(redacted);
  };
  const logger = pino(options, { write });
  const flush = (): void => stream.flush?.();
  return {
    observe: (observation) => {
      const level = levelOf(observation, settings);
      if (!logger.isLevelEnabled(level)) return;
      logger[level](entryOf(observation, level), messageOf(observation));
      if (!frequent.has(observation.kind)) flush();
    },
    exportTo: (given) => {
      sink = given;
    },
    flush,
  };
}

/** Frequent observations, which are buffered. All others are flushed at once. */
const frequent: ReadonlySet<Observation['kind']> = new Set([
  'operation',
  'statement',
  'request',
  'call',
  'limit-exceeded',
]);

function streamFor({ level }: LogSettings, toTerminal: boolean): DestinationStream {
  if (level === 'silent') return { write: () => undefined };
  return toTerminal ? pretty() : standardOutput();
}

type Level = 'debug' | 'info' | 'warn' | 'error';

function levelOf(observation: Observation, { operations = false, slowMs = 0 }: LogSettings): Level {
  switch (observation.kind) {
    case 'failure':
      return 'error';
    case 'note':
      return observation.level;
    case 'refused':
      return observation.error.status >= 500 ? 'error' : 'debug';
    case 'operation':
      return isSlow(observation.durationMs, slowMs) ? 'warn' : operations ? 'info' : 'debug';
    case 'statement':
      return isSlow(observation.durationMs, slowMs) ? 'warn' : 'debug';
    case 'limit-exceeded':
      return observation.repeated ? 'debug' : 'warn';
    case 'request':
    case 'call':
      return 'debug';
    default:
      return 'info';
  }
}

function isSlow(durationMs: number, slowMs: number): boolean {
  return slowMs > 0 && durationMs > slowMs;
}

/** Includes the document of a slow operation. The hash identifies it in other entries. */
function entryOf(observation: Observation, level: Level): Readonly<Record<string, unknown>> {
  if (observation.kind === 'operation') {
    const { kind, requestId, role, type, name, code, length, span } = observation;
    const durationMs = rounded(observation.durationMs);
    const [hash, planHash] = [observation.hash(), observation.planHash()];
    const entry = { kind, requestId, role, type, name, code, durationMs, length, hash, planHash, ...traceIdsOf(span) };
    return level === 'warn' ? { ...entry, slow: true, query: observation.query() } : entry;
  }
  const { kind, ...rest } = observation;
  const members = Object.entries(rest)
    .filter(([name, value]) => value !== undefined && !apart.has(name))
    .map(([name, value]) => [name, printable(name, value)]);
  return {
    kind,
    ...Object.fromEntries(members),
    ...('span' in rest && traceIdsOf(rest.span)),
    ...(kind === 'statement' && level === 'warn' && { slow: true }),
  };
}

/** Members of observations that are not members of lines under the same name. */
const apart: ReadonlySet<string> = new Set(['level', 'message', 'span']);

function printable(name: string, value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  return name === 'durationMs' && typeof value === 'number' ? rounded(value) : value;
}

/** Milliseconds with two decimal places. */
function rounded(durationMs: number): number {
  return Math.round(durationMs * 100) / 100;
}

/** Returns the `msg` of a line: one sentence that can be read without the other members. */
function messageOf(observation: Observation): string {
  switch (observation.kind) {
    case 'started':
      // A process that only delivers events has no URL.
      return observation.url === '' ? 'started' : `listening on ${observation.url}`;
    case 'stopping':
      return `stopping: ${observation.reason}`;
    case 'stopped':
      return 'stopped';
    case 'metadata-changed':
      return `metadata version ${observation.version} is in use`;
    case 'request':
      return `${observation.method} ${observation.path} ${observation.status}`;
    case 'refused':
      return `request rejected: ${observation.error.code}`;
    case 'operation':
      return `${observation.type} ${observation.name ?? '(anonymous)'}: ${observation.code ?? 'ok'}`;
    case 'limit-exceeded':
      return `${observation.limit} ${observation.most} of the role ${observation.role} would reject an operation`;
    case 'statement':
      return `SQL statement ${observation.failed ? 'failed' : 'completed'}`;
    case 'call':
      return `call of ${observation.purpose.kind} ${observation.purpose.name}: ${observation.outcome}`.replace(
        ' :',
        ':',
      );
    case 'failure':
      return `${observation.where}: ${observation.error instanceof Error ? maskUrls(observation.error.message) : 'failed'}`;
    case 'note':
      return observation.message;
    default:
      return observation satisfies never;
  }
}

function describeError(error: Error): Readonly<Record<string, unknown>> {
  const code = (error as NodeJS.ErrnoException).code;
  return {
    type: error.name,
    message: maskUrls(error.message),
    ...(code !== undefined && { code }),
    ...(error.stack !== undefined && { stack: maskUrls(error.stack) }),
    ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
  };
}

/** Milliseconds until a buffered line is written. */
const FLUSH_MS = 100;
/** Buffered characters above which lines are dropped while the output does not accept any. */
const mostWaiting = 1_048_576;

/**
 * Returns a stream that writes lines to standard output in batches: one write for each line would cost as much as the
 * request that it reports. A closed or full output loses lines and does not affect the service.
 */
function standardOutput(): DestinationStream & { flush(): void } {
  const out = pino.destination({ sync: true, minLength: 8_192, maxLength: mostWaiting });
  // `flushSync` would retry forever when the reader has disconnected.
  const flush = (): void => out.flush();
  let timer: NodeJS.Timeout | undefined;
  // The option `periodicFlush` would write ten times a second, also without lines.
  const flushSoon = (): void => {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      flush();
    }, FLUSH_MS).unref();
  };
  // Without a listener a write error would end the process.
  out.on('error', flushSoon);
  // pino flushes only asynchronous destinations at the end of the process.
  process.once('exit', flush);
  return {
    write: (line) => {
      out.write(line);
      flushSoon();
    },
    flush,
  };
}

/** Returns a stream that prints one colored line for each entry: time, level and message, then the other members. */
function pretty(): PrettyStream {
  // Loaded on demand, because most services log JSON.
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
