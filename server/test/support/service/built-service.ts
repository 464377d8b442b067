/** The built service as a process of its own, which tests pause, kill and start again on the same port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../http/free-port.ts';
import { until } from '../until.ts';

const program = fileURLToPath(new URL('../../../../cli/bin/joinery.mjs', import.meta.url));

export interface BuiltService {
  /** The same after a restart. */
  readonly url: string;
  /** Returns the output of all processes so far. */
  log(): string;
  ended(): boolean;
  /** Returns the id of the present process. */
  pid(): number;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process by SIGKILL. */
  kill(): Promise<void>;
  /** Starts another process after the last one has ended. */
  start(): Promise<void>;
  /** Ends the process by SIGTERM. */
  stop(): Promise<void>;
  /** Runs a metadata command. Rejects if the status is not 200. */
  command(type: string, args: unknown): Promise<unknown>;
}

/** @param environment all variables of the process besides PATH; the database URL is one of them. */
export async function startBuiltService(environment: Readonly<Record<string, string>>): Promise<BuiltService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let log = '';
  let child: ChildProcess | undefined;
  const ended = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || ended()) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  const headers = { 'x-service-admin-secret': environment.JOINERY_ADMIN_SECRET ?? '' };
  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [program, 'serve'], {
      env: {
        PATH: process.env.PATH,
        JOINERY_PORT: String(port),
        JOINERY_HOST: '127.0.0.1',
        JOINERY_LOG_FORMAT: 'json',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    }
    await until(
      () => `the service is ready; it has logged ${log.slice(-2_000)}`,
      () => {
        if (ended()) throw new Error(`the service has ended: ${log.slice(-2_000)}`);
        return fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      },
    );
  };
  await start();
  return {
    url,
    log: () => log,
    ended,
    pid: () => child?.pid ?? 0,
    signal: (signal) => void child?.kill(signal),
    kill: () => end('SIGKILL'),
    start,
    stop: () => end('SIGTERM'),
    command: async (type, args) => {
      const response = await fetch(`${url}/v1/metadata`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ type, args }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${type}: ${text}`);
      return JSON.parse(text) as unknown;
    },
  };
}
