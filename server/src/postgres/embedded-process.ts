/** The Postgres process: made from an empty folder, started, found again after a crash of the service, stopped. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../base/errors.ts';
import { type Binaries, postgresEnvironment } from './embedded-binaries.ts';
import { dataArgument, type Place } from './embedded-place.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';

/** What Postgres writes into postmaster.pid. */
export interface Postmaster {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly status: string;
}

/** Milliseconds. */
const limits = { start: 60_000, fastShutdown: 30_000, immediateShutdown: 5000, poll: 10 };

/** Makes the database files, under another name until they are whole, so that a crash leaves nothing half made. */
export function initialise(place: Place, binaries: Binaries, password: string): void {
  const draft = join(place.home, 'data.new');
  const secret = join(place.home, 'password');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  try {
    if (place.runAs !== undefined) {
      for (const path of [draft, secret]) chownSync(path, place.runAs.uid, place.runAs.gid);
    }
    const data = dataArgument(place, draft);
    const { status, stdout, stderr, error } = spawnSync(
      binaries.initdb,
      [
        `--pgdata=${data}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        `--pwfile=${data}/../password`,
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
      ],
      { ...place.runAs, cwd: draft, env: postgresEnvironment(), encoding: 'utf8' },
    );
    if (status !== 0) throw failed('cannot make its database files', `${stdout ?? ''}${stderr ?? ''}`, error);
    renameSync(draft, place.data);
  } finally {
    rmSync(secret, { force: true });
  }
}

/** Who says in postmaster.pid that it serves this folder; undefined when that process has ended or is another program. */
export function findPostmaster(place: Place): Postmaster | undefined {
  const file = join(place.data, 'postmaster.pid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const process = identifyProcess(Number(lines[0]));
  if (process === undefined) return undefined;
  if (serves(process.pid, place)) return { process, port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
  // The number now belongs to another program, which Postgres would take for the owner of the folder.
  rmSync(file, { force: true });
  return undefined;
}

/** Postgres works in its data folder, whatever that folder was called when it was started. */
function serves(pid: number, place: Place): boolean {
  if (process.platform === 'linux') {
    const theirs = statSync(`/proc/${pid}/cwd`, { throwIfNoEntry: false });
    const ours = statSync(place.data);
    return theirs?.ino === ours.ino && theirs.dev === ours.dev;
  }
  if (process.platform === 'win32') return true;
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.includes(place.data);
}

/** Starts the server. Its output goes to the log file; it lives on when we are killed, and is found again. */
export function launch(
  place: Place,
  binaries: Binaries,
  port: number,
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  const log = openSync(place.log, 'a', 0o600);
  try {
    const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
    const child = spawn(
      binaries.postgres,
      [
        '-D',
        dataArgument(place, place.data),
        ...Object.entries(all).flatMap(([name, text]) => ['-c', `${name}=${text}`]),
      ],
      {
        ...place.runAs,
        cwd: place.data,
        env: postgresEnvironment(),
        stdio: ['ignore', log, log],
        // A group of its own, so that Ctrl-C in a terminal ends the service first and Postgres after it.
        detached: true,
        windowsHide: true,
      },
    );
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Waits until the server that was started or found takes connections, recovery after a crash included. Undefined when
 * it ended, or `giveUp` said so, instead.
 */
export async function untilReady(place: Place, giveUp: () => boolean): Promise<Postmaster | undefined> {
  const deadline = Date.now() + limits.start;
  while (!giveUp() && Date.now() < deadline) {
    const postmaster = findPostmaster(place);
    if (postmaster?.status === 'ready') return postmaster;
    await sleep(limits.poll);
  }
  return undefined;
}

/** Fast shutdown: sessions are ended, everything is written. Harder ways follow only when that takes too long. */
export async function shutDown(postmaster: ProcessIdentity, place: Place, binaries: Binaries): Promise<void> {
  if (process.platform === 'win32') {
    spawnSync(binaries.pgCtl, ['stop', '-D', place.data, '-m', 'fast', '-w'], { env: postgresEnvironment() });
    return;
  }
  const steps = [
    ['SIGINT', limits.fastShutdown],
    ['SIGQUIT', limits.immediateShutdown],
    ['SIGKILL', limits.immediateShutdown],
  ] as const;
  for (const [signal, limit] of steps) {
    if (!send(postmaster, signal) || (await ended(postmaster, limit))) return;
  }
}

function send(target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(target)) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    return false;
  }
}

async function ended(target: ProcessIdentity, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (isRunning(target)) {
    if (Date.now() > deadline) return false;
    await sleep(limits.poll);
  }
  return true;
}

/** An error that ends the start, with what Postgres said last. */
export function failed(what: string, output: string, cause?: unknown): ServiceError {
  const said = output.trim().split('\n').slice(-8).join('\n');
  return new ServiceError('unexpected', `the embedded Postgres ${what}${said === '' ? '' : `:\n${said}`}`, { cause });
}
