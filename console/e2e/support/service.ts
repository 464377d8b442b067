/** A service process with an embedded PostgreSQL in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../../cli/bin/joinery.mjs', import.meta.url));

export interface Service {
  readonly url: string;
  /** Runs a metadata command as admin. Throws for an error response. */
  command(type: string, args: unknown): Promise<unknown>;
  /** Sends a GraphQL request with headers. */
  query(query: string, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  stop(): Promise<void>;
  /** Stops the service. */
  interrupt(): Promise<void>;
  /** Restarts the service at the same URL, optionally with other settings. */
  resume(environment?: Readonly<Record<string, string>>): Promise<void>;
  /** Restarts the service with its own settings if it is stopped or has others, as after a test that failed. */
  restore(): Promise<void>;
}

export async function startService(environment: Readonly<Record<string, string>> = {}): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'joinery-console-'));
  let running = await launch(dataDir, '0', environment);
  let current = environment;
  const { url } = running;
  const resume = async (changed = environment): Promise<void> => {
    running = await launch(dataDir, new URL(url).port, changed);
    current = changed;
  };
  const prefix = environment.JOINERY_HEADER_PREFIX ?? 'X-Service-';
  const secret = environment.JOINERY_ADMIN_SECRET;
  return {
    url,
    command: async (type, args) => {
      const response = await fetch(`${url}/v1/metadata`, {
        method: 'POST',
        headers: { [`${prefix}role`]: 'admin', ...(secret === undefined ? {} : { [`${prefix}admin-secret`]: secret }) },
        body: JSON.stringify({ type, args }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${type}: ${text}`);
      return JSON.parse(text);
    },
    query: async (query, headers = {}) => {
      const response = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
      return response.json();
    },
    stop: async () => {
      await end(running.child);
      rmSync(dataDir, { recursive: true, force: true });
    },
    interrupt: () => end(running.child),
    resume,
    restore: async () => {
      if (current === environment && !hasEnded(running.child)) return;
      await end(running.child);
      await resume();
    },
  };
}

async function launch(
  dataDir: string,
  port: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [command, 'serve', '--port', port, '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, JOINERY_LOG_FORMAT: 'json', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (text: string): void => {
      output += text;
      const started = /"kind":"started".*?"url":"([^"]+)"|"url":"([^"]+)".*?"kind":"started"/.exec(output);
      const found = started?.[1] ?? started?.[2];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.setEncoding('utf8').on('data', listen);
    child.stderr?.setEncoding('utf8').on('data', listen);
    child.once('exit', (code) => reject(new Error(`the service ended with code ${code}:\n${output.slice(-2_000)}`)));
  });
  return { child, url };
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
