/** One service for one data folder: a lock file that does not block the next start after `kill -9`. */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';

export interface DirectoryLock {
  release(): void;
}

const name = 'lock';

/** Returns the process that has locked the folder; undefined if there is none or it has ended. */
export function lockHolder(directory: string): ProcessIdentity | undefined {
  const holder = readLock(join(directory, name));
  return holder !== undefined && isRunning(holder) ? holder : undefined;
}

/** Locks the folder for this process. Throws `invalid-configuration` if another running process has locked it. */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, name);
  const self = identifyProcess(process.pid) ?? { pid: process.pid, started: '' };
  const own = JSON.stringify(self);
  const draft = join(directory, `${name}.${randomUUID()}`);
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    for (;;) {
      if (tryLink(draft, path)) return { release: () => releaseOwn(path, own) };
      const holder = lockHolder(directory);
      if (holder !== undefined) throw inUse(directory, holder);
      clearStale(path);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creates the lock as a hard link, which is atomic. Returns false if the lock exists. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Renames the lock before it is read again, so that a lock created at the same time is restored, not deleted. */
function clearStale(path: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = readLock(aside);
  if (moved !== undefined && isRunning(moved)) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function releaseOwn(path: string, own: string): void {
  try {
    if (readFileSync(path, 'utf8') === own) rmSync(path, { force: true });
  } catch {
    // The folder was removed: there is nothing to release.
  }
}

function readLock(path: string): ProcessIdentity | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof holder !== 'object' || holder === null || !('pid' in holder) || !('started' in holder)) return undefined;
    return { pid: Number(holder.pid), started: String(holder.started) };
  } catch {
    return undefined;
  }
}

function inUse(directory: string, holder: ProcessIdentity): ServiceError {
  return new ServiceError(
    'invalid-configuration',
    `${directory} is in use by another service (process ${holder.pid}); stop that one, or give this one a folder of its own with JOINERY_DATA_DIR`,
  );
}
