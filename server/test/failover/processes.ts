/** Processes of the test rig. They run as user postgres if the tests run as root, and are ended by their ids. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { until } from '../support/until.ts';

/** Ids of processes that are ended with the rig. */
const running = new Set<number>();

process.once('exit', endAll);

/** Returns the user of PostgreSQL; undefined if the tests do not run as root. */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface StartOptions {
  readonly log: string;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a program and appends its output to the file `log`. */
export function startProcess(program: string, args: readonly string[], options: StartOptions): ChildProcess {
  const log = openSync(options.log, 'a', 0o666);
  const child = spawn(program, args, {
    ...options.user,
    env: { PATH: process.env.PATH, LC_ALL: 'C', ...options.environment },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  if (child.pid !== undefined) running.add(child.pid);
  return child;
}

/** Adds a process that another process of the rig has started. */
export function adopt(pid: number): void {
  running.add(pid);
}

/** Sends `signal` to the processes and their descendants, parents first. Skips processes that have ended. */
export function signalTrees(roots: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of roots.flatMap((root) => [root, ...descendants(root)])) send(pid, signal);
}

export function isRunning(pid: number): boolean {
  const state = pid > 1 ? statOf(pid)?.state : undefined;
  return state !== undefined && state !== 'Z';
}

/** Resolves when all processes have ended. */
export async function ended(pids: readonly number[]): Promise<void> {
  await until('the processes have ended', () => !pids.some(isRunning), { seconds: 60 });
  for (const pid of pids) running.delete(pid);
}

/** Kills all processes of the rig. */
export function endAll(): void {
  const pids = [...running].flatMap((root) => [root, ...descendants(root)]);
  for (const pid of pids) send(pid, 'SIGKILL');
  running.clear();
}

function send(pid: number, signal: NodeJS.Signals): void {
  // 0 would be the process group of the tests.
  if (pid <= 1) return;
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = statOf(Number(name))?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  if (root <= 1) return [];
  const descendantsOf = (pid: number): number[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...descendantsOf(child)]);
  return descendantsOf(root);
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    // The program name is in parentheses and can contain spaces.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

const usedPorts = new Set<number>();

/** Returns a free port below the ephemeral range, so that outgoing connections cannot use it before a restart. */
export async function serverPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (usedPorts.has(port) || !(await isFree(port))) continue;
    usedPorts.add(port);
    return port;
  }
  throw new Error('no free port');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .once('listening', () => probe.close(() => resolve(true)))
      .listen(port, '127.0.0.1');
  });
}
