/** The whole service in its own process, for tests that read its log or memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServiceProcess {
  readonly url: string;
  /** Returns the output to stdout and stderr. */
  log(): string;
  /** Returns the bytes on the heap after garbage collection. */
  heap(): Promise<number>;
  /** Returns the largest resident memory that the process has had, in bytes. */
  peakMemory(): Promise<number>;
  /** Whether the process has ended. */
  ended(): boolean;
  stop(): Promise<void>;
  /** Ends the process by SIGKILL. */
  kill(): Promise<void>;
}

export async function startServiceProcess(environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=400', file('run-typescript.mjs'), file('service-process-main.ts')],
    { env: { PATH: process.env.PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: unknown) => {
      written += String(chunk);
    });
  }
  const message = async (): Promise<Readonly<Record<string, unknown>>> => {
    const ended = once(child, 'exit').then(() => {
      throw new Error(`the service process has exited: ${written.slice(-2_000)}`);
    });
    const [received] = (await Promise.race([once(child, 'message'), ended])) as [Readonly<Record<string, unknown>>];
    return received;
  };
  const { url, collects } = await message();
  if (typeof url !== 'string' || collects !== true) throw new Error('the service did not report its URL');
  return {
    url,
    log: () => written,
    heap: async () => {
      const reply = message();
      child.send('heap');
      return Number((await reply).heap);
    },
    peakMemory: async () => {
      const reply = message();
      child.send('peak');
      return Number((await reply).peak);
    },
    ended: () => child.exitCode !== null || child.signalCode !== null,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.send('stop');
      await exited;
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
