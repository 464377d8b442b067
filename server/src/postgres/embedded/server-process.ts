/** The PostgreSQL process: initializes its folder, starts, finds after a crash of the service, and stops it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
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
import { ServiceError } from '../../base/errors.ts';
import { type Binaries, postgresEnvironment } from './binaries.ts';
import { dataArgument, type Place } from './place.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';
import { giveTo, named } from './user.ts';

/** The contents of postmaster.pid. */
export interface Postmaster {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly status: string;
}

/** Time limits in milliseconds. */
const limits = { start: 60_000, fastShutdown: 30_000, immediateShutdown: 5000, poll: 10 };

/** Creates the database files in a temporary folder and renames it, so that a crash leaves no incomplete files. */
export function initialize(place: Place, binaries: Binaries, password: string, sync: boolean): void {
  const draft = `${place.home}.new`;
  const data = join(draft, 'data');
  const secret = join(draft, 'password');
  const maker = place.runAs && named(place.runAs);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  try {
    if (maker !== undefined) giveTo(draft, maker);
    const argument = dataArgument(place, data);
    const { status, stdout, stderr, error } = spawnSync(
      binaries.initdb,
      [
        `--pgdata=${argument}`,
        '--username=postgres',
        '--auth=scram-sha-256',
        `--pwfile=${argument}/../password`,
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
        ...(sync ? [] : ['--no-sync']),
      ],
      { ...maker, cwd: data, env: postgresEnvironment(), encoding: 'utf8' },
    );
    if (status !== 0) throw failed('cannot create its database files', `${stdout ?? ''}${stderr ?? ''}`, error);
    if (place.runAs !== undefined) giveTo(data, place.runAs);
    renameSync(data, place.data);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Returns the server of this folder by postmaster.pid; undefined if that process has ended or is another program. */
export function findPostmaster(place: Place): Postmaster | undefined {
  const lines = readPidFile(place);
  const process = identifyProcess(Number(lines[0]));
  if (process === undefined || whatIs(process.pid, place) !== 'our server') return undefined;
  return { process, port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
}

/**
 * Removes a postmaster.pid whose process id now belongs to another program, which PostgreSQL would regard as the owner of the
 * folder. PostgreSQL itself handles a file whose process has ended: it checks whether children of that process still run.
 */
export function clearPidFile(place: Place): void {
  const pid = Number(readPidFile(place)[0]);
  if (identifyProcess(pid) !== undefined && whatIs(pid, place) === 'another program') rmSync(pidFile(place));
}

function pidFile(place: Place): string {
  return join(place.data, 'postmaster.pid');
}

function readPidFile(place: Place): readonly string[] {
  return existsSync(pidFile(place)) ? readFileSync(pidFile(place), 'utf8').split('\n') : [];
}

function whatIs(pid: number, place: Place): 'our server' | 'another program' | 'unknown' {
  if (process.platform === 'win32') return 'our server';
  const command = commandOf(pid);
  if (command.includes(markOf(place))) return 'our server';
  if (!/(^|\/)(postgres|postmaster)$/.test(command.split(/[\0 ]/, 1)[0] ?? '')) return 'another program';
  // A server that the service did not start, possibly on this folder.
  try {
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(place.data)];
    return theirs.ino === ours.ino && theirs.dev === ours.dev ? 'our server' : 'another program';
  } catch {
    return 'unknown';
  }
}

function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  } catch {
    return '';
  }
}

/** Returns a mark of the command line of servers that the service starts, which does not change when the folder is moved. */
function markOf(place: Place): string {
  const { dev, ino } = statSync(place.data);
  return `cluster_name=joinery-${dev}-${ino}`;
}

/** Starts the server, which writes its output to the log file. It continues if the service is killed, and is found again. */
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
        '-c',
        markOf(place),
        ...Object.entries(all).flatMap(([name, text]) => ['-c', `${name}=${text}`]),
      ],
      {
        ...place.runAs,
        cwd: place.data,
        env: postgresEnvironment(),
        stdio: ['ignore', log, log],
        // In a process group of its own, so that Ctrl-C in a terminal ends the service first, which then ends PostgreSQL.
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
 * Waits until the server accepts connections, including recovery after a crash. Undefined if it ends, or if `giveUp` returns
 * true.
 */
export async function untilReady(place: Place, giveUp: () => boolean): Promise<Postmaster | undefined> {
  const deadline = performance.now() + limits.start;
  while (!giveUp() && performance.now() < deadline) {
    const postmaster = findPostmaster(place);
    if (postmaster?.status === 'ready') return postmaster;
    await sleep(limits.poll);
  }
  return undefined;
}

/** Shuts the server down in fast mode, which ends sessions and writes all data; by stronger signals if that takes too long. */
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
  const deadline = performance.now() + limitMs;
  while (isRunning(target)) {
    if (performance.now() > deadline) return false;
    await sleep(limits.poll);
  }
  return true;
}

/** Returns an error of the server with the end of its output. */
export function failed(what: string, output: string, cause?: unknown): ServiceError {
  const end = output.trim().split('\n').slice(-8).join('\n');
  return new ServiceError('unexpected', `the embedded Postgres ${what}${end === '' ? '' : `:\n${end}`}`, {
    cause,
  });
}
