/** Processes of the rig: started as the user postgres where the tests run as root, and ended by their ids. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ids of processes that have to end with the rig. */
const running = new Set<number>();

process.once('exit', endAll);

/** The user that PostgreSQL runs as; undefined where the tests do not run as root. */
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

/** Starts a program whose output goes to the end of the file `log`. */
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

/** Makes the rig responsible for a process that one of its processes started. */
export function adopt(pid: number): void {
  running.add(pid);
}

/** Sends `signal` to the processes and everything below them, parents first. Processes that have ended are skipped. */
export function signalTrees(roots: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of roots.flatMap((root) => [root, ...descendants(root)])) send(pid, signal);
}

export function isRunning(pid: number): boolean {
  const state = pid > 1 ? statOf(pid)?.state : undefined;
  return state !== undefined && state !== 'Z';
}

/** Resolves when none of the processes is left. */
export async function ended(pids: readonly number[]): Promise<void> {
  await until('the processes have ended', () => !pids.some(isRunning));
  for (const pid of pids) running.delete(pid);
}

/** Ends every process of the rig at once. */
export function endAll(): void {
  const pids = [...running].flatMap((root) => [root, ...descendants(root)]);
  for (const pid of pids) send(pid, 'SIGKILL');
  running.clear();
}

function send(pid: number, signal: NodeJS.Signals): void {
  // 0 would be the group of the tests themselves.
  if (pid <= 1) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function descendants(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = statOf(Number(name))?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  if (root <= 1) return [];
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(root);
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    // The name of the program is in parentheses and may hold spaces.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Polls until `holds`. Throws after `seconds`. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(50);
  }
}

const given = new Set<number>();

/** A free port below the range that outgoing connections take theirs from, so that a restarted server finds it free. */
export async function serverPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
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
