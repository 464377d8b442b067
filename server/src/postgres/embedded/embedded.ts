/** An embedded PostgreSQL for development: its programs are npm packages, its data is in the folder of the project. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { type Observe, silent } from '../../base/telemetry/observe.ts';
import { createDatabase } from '../client/pool.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { lockDirectory } from './lock.ts';
import { openPlace, openRoot, type Place, readPassword } from './place.ts';
import { isRunning } from './process-identity.ts';
import {
  clearPidFile,
  failed,
  findPostmaster,
  initialize,
  launch,
  type Postmaster,
  shutDown,
  untilReady,
} from './server-process.ts';

export interface EmbeddedOptions {
  /** The folder, such as `<project>/.joinery`. Created if it does not exist. */
  readonly directory: string;
  readonly observe?: Observe;
  /** Settings of the server by name, which override the defaults. A server that is found running keeps its settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  /** The URL of the database `postgres`, with the superuser and its password. */
  readonly url: string;
  readonly pid: number;
  /** Whether the server of a killed service was still running. */
  readonly adopted: boolean;
  /** Shuts the server down. Resolves when its process has ended and another service can use the folder. */
  stop(): Promise<void>;
}

const usual = { max_connections: '200', timezone: 'UTC', log_timezone: 'UTC' };
const startAttempts = 5;
const mostLogBytes = 10_000_000;

/**
 * Starts the server, or uses the one that a killed service left running in this folder. Throws `invalid-configuration`
 * if another service uses the folder or PostgreSQL cannot run on this machine.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const observe = options.observe ?? silent;
  const root = openRoot(options.directory);
  const lock = lockDirectory(root);
  try {
    const place = openPlace(root);
    const binaries = prepareBinaries(place.runAs);
    const password = readPassword(place, existsSync(place.data));
    if (!existsSync(place.data)) initialize(place, binaries, password, options.settings?.fsync !== 'off');

    const left = await adopt(place, binaries, password);
    const started = left === undefined ? await start(place, binaries, { ...usual, ...options.settings }) : undefined;
    const postmaster = left ?? started?.postmaster;
    if (postmaster === undefined) throw failed('did not start', '');
    let stopping: Promise<void> | undefined;
    started?.child.once('exit', () => {
      if (stopping !== undefined) return;
      observe({
        kind: 'failure',
        where: 'embedded Postgres',
        error: failed('has ended unexpectedly', logTail(place, 0)),
      });
    });
    return {
      url: urlOf(postmaster, password),
      pid: postmaster.process.pid,
      adopted: left !== undefined,
      stop: () => {
        stopping ??= shutDown(postmaster.process, place, binaries).finally(() => lock.release());
        return stopping;
      },
    };
  } catch (error) {
    lock.release();
    throw error instanceof ServiceError ? error : failed(`cannot start in ${root}`, (error as Error).message, error);
  }
}

/** Returns the running server of a killed service once it accepts connections. Ends one that does not. */
async function adopt(place: Place, binaries: Binaries, password: string): Promise<Postmaster | undefined> {
  const found = findPostmaster(place);
  if (found === undefined) return undefined;
  const ready = await untilReady(
    place,
    () => !isRunning(found.process) || findPostmaster(place)?.status === 'stopping',
  );
  if (ready !== undefined && (await accepts(urlOf(ready, password)))) return ready;
  await shutDown(found.process, place, binaries);
  return undefined;
}

async function start(
  place: Place,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
): Promise<{ postmaster: Postmaster; child: ChildProcess }> {
  let output = '';
  clearPidFile(place);
  for (let attempt = 1; attempt <= startAttempts; attempt += 1) {
    if (logSize(place) > mostLogBytes) truncateSync(place.log);
    const before = logSize(place);
    const child = launch(place, binaries, await freePort(), settings);
    let ended = false;
    child.once('exit', () => {
      ended = true;
    });
    child.once('error', (error) => {
      ended = true;
      output = error.message;
    });
    const postmaster = await untilReady(place, () => ended);
    if (postmaster !== undefined && postmaster.process.pid === child.pid) return { postmaster, child };
    if (!ended) child.kill('SIGQUIT');
    output = logTail(place, before) || output;
    // Temporary errors: another program uses the port, or processes of a killed server have not ended yet.
    if (!/Address already in use|still in use|lock file/.test(output)) break;
    await sleep(attempt * 200);
  }
  throw failed('did not start', output);
}

async function accepts(url: string): Promise<boolean> {
  const database = createDatabase({
    url,
    poolSize: 1,
    statementTimeoutMs: 0,
    prepare: false,
    applicationName: 'joinery',
  });
  try {
    await database.query({ text: 'select 1', values: [] });
    return true;
  } catch {
    return false;
  } finally {
    await database.close();
  }
}

function urlOf(postmaster: Postmaster, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${postmaster.port}/postgres`;
}

/** Returns a free port. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('no port on 127.0.0.1'));
      });
    });
  });
}

function logSize(place: Place): number {
  return statSync(place.log, { throwIfNoEntry: false })?.size ?? 0;
}

function logTail(place: Place, from: number): string {
  return existsSync(place.log) ? readFileSync(place.log).subarray(from).toString('utf8').trim() : '';
}
