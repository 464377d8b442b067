/** Runs `pg_dump` on the database of a source, without a shell, with limits of time and size. */
import { type ChildProcess, spawn } from 'node:child_process';
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { z } from 'zod';
import type { Cancellation } from '../../base/cancellation.ts';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { maskUrls } from '../../base/telemetry/redact.ts';
import { convertEditErrors } from '../metadata/apply-edit.ts';
import { connectionSettings } from '../sources/settings.ts';
import { dumpArguments } from './arguments.ts';
import { DumpLines } from './clean-output.ts';
import { libpqConnection } from './connection.ts';

export interface PgDumpSettings {
  /** The name or path of the program. */
  readonly program: string;
  readonly timeoutMs: number;
  /** Maximum size of the output. */
  readonly maxBytes: number;
}

const DumpRequest = z.strictObject({
  /** Options of `pg_dump`, as on a command line. */
  opts: z.array(z.string()),
  clean_output: z.boolean().default(false),
  source: z.string().default(DEFAULT_SOURCE),
});

export interface PgDump {
  /** Runs a request as `{ opts, clean_output?, source? }` and resolves to the SQL. Rejects with a ServiceError. */
  dump(request: unknown, signal: Cancellation): Promise<string>;
}

export interface PgDumpOptions {
  readonly settings: PgDumpSettings;
  readonly sources: () => readonly Source[];
  /** The URL of the source `default`. */
  readonly standardUrl: string;
  readonly environment: Environment;
}

/** Dumps that run at the same time. */
const MAX_CONCURRENT = 2;
/** Characters of the messages of `pg_dump` that an error contains. */
const MAX_MESSAGES = 4_000;

export function createPgDump(options: PgDumpOptions): PgDump {
  const { settings, environment } = options;
  let running = 0;
  return {
    dump: async (request, signal) => {
      const { opts, clean_output, source } = convertEditErrors(() => parseArguments(DumpRequest, request), '$');
      const selected = dumpArguments(opts, '$.opts');
      const { uri, password } = libpqConnection(urlOf(source, options));
      if (running >= MAX_CONCURRENT) {
        throw new ServiceError('busy', `${MAX_CONCURRENT} dumps are running; try again when they have ended`);
      }
      running += 1;
      try {
        const child = spawn(settings.program, [...selected, '--encoding=utf8', '--no-password', `--dbname=${uri}`], {
          env: programEnvironment(environment, password),
          stdio: ['ignore', 'pipe', 'pipe'],
          shell: false,
          windowsHide: true,
        });
        return await outputOf(child, new DumpLines(clean_output), settings, signal);
      } finally {
        running -= 1;
      }
    },
  };
}

function urlOf(name: string, { sources, standardUrl, environment }: PgDumpOptions): string {
  const source = sources().find((one) => one.name === name);
  if (source === undefined) {
    const message = `source with name "${name}" does not exist`;
    throw new ServiceError('not-found', message, { status: 400, path: '$.source' });
  }
  if (!isSupportedSource(source)) {
    throw new ServiceError('not-supported', `sources of kind "${source.kind}" cannot be dumped`, { path: '$.source' });
  }
  if (name === DEFAULT_SOURCE) return standardUrl;
  return connectionSettings(source.configuration?.connection_info ?? {}, name, environment).url;
}

/** The program gets what it needs to start and to connect, and no secrets of the service. */
function programEnvironment(environment: Environment, password: string | undefined): Record<string, string> {
  const passed = Object.entries(environment).filter(([name]) => /^(?:PATH|HOME|TZ|SYSTEMROOT|PG[A-Z]+)$/.test(name));
  const given = passed.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
  return { ...Object.fromEntries(given), LC_ALL: 'C', ...(password !== undefined && { PGPASSWORD: password }) };
}

function outputOf(
  child: ChildProcess,
  lines: DumpLines,
  { program, timeoutMs, maxBytes }: PgDumpSettings,
  signal: Cancellation,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const kept: string[] = [];
    let bytes = 0;
    let messages = '';
    let rest = '';
    let failure: ServiceError | undefined;
    const stop = (error: ServiceError): void => {
      failure ??= error;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => {
      const message = `pg_dump did not end within ${timeoutMs / 1000} s, the value of JOINERY_PG_DUMP_TIMEOUT`;
      stop(new ServiceError('timeout', message));
    }, timeoutMs);
    const forget = signal.whenAborted(() => stop(new ServiceError('timeout', 'the caller has disconnected')));
    const add = (line: string): void => {
      if (lines.keeps(line)) kept.push(line);
    };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (failure !== undefined) return;
      bytes += Buffer.byteLength(text);
      if (bytes > maxBytes) {
        const message = `the dump is larger than ${maxBytes} bytes, the value of JOINERY_MAX_PG_DUMP_BYTES; select fewer tables or schemas, or run pg_dump on the database`;
        stop(new ServiceError('result-limit-exceeded', message));
        return;
      }
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) add(line);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      messages = (messages + text).slice(0, MAX_MESSAGES);
    });
    child.on('error', (cause: NodeJS.ErrnoException) => {
      failure ??= startError(program, cause);
      finish(null);
    });
    child.on('close', (code) => finish(code));
    let hasFinished = false;
    const finish = (code: number | null): void => {
      if (hasFinished) return;
      hasFinished = true;
      clearTimeout(timer);
      forget();
      if (failure !== undefined) reject(failure);
      else if (code === 0) {
        if (rest !== '') add(rest);
        resolve(kept.length === 0 ? '' : `${kept.join('\n')}\n`);
      } else reject(exitError(code, maskUrls(messages.trim())));
    };
  });
}

function startError(program: string, cause: NodeJS.ErrnoException): ServiceError {
  const reason =
    cause.code === 'ENOENT'
      ? `"${program}" is not installed on the machine of the service`
      : `"${program}" cannot be started on the machine of the service (${cause.code ?? cause.message})`;
  const message = `${reason}; install the client programs of PostgreSQL, or name the program in JOINERY_PG_DUMP`;
  return new ServiceError('not-supported', message, { cause });
}

function exitError(code: number | null, messages: string): ServiceError {
  const how = code === null ? 'was ended by a signal' : `ended with code ${code}`;
  const hint = /server version mismatch/.test(messages)
    ? '; it is older than the database: install the client programs of the version of the database, or name them in JOINERY_PG_DUMP'
    : '';
  const [first] = messages.split('\n');
  return new ServiceError('unexpected', `pg_dump ${how}: ${first ?? ''}${hint}`, { internal: messages });
}
