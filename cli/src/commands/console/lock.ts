/** A file that prevents a second console on a project. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError } from '../../cli-error.ts';

interface Holder {
  readonly pid: number;
  readonly url?: string;
}

export interface ProjectLock {
  /** Stores the address of the console, for the error of another one. */
  note(url: string): Promise<void>;
  release(): Promise<void>;
}

/** Throws CliError where another process that runs has the lock, or the folder cannot be written. */
export async function lockProject(folder: string): Promise<ProjectLock> {
  const path = join(folder, '.joinery', 'console.json');
  const holder: Holder = { pid: process.pid };
  const create = (): Promise<void> => writeFile(path, JSON.stringify(holder), { flag: 'wx' });
  try {
    await mkdir(dirname(path), { recursive: true });
    await create().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      await requireEnded(path, folder);
      await rm(path, { force: true });
      await create();
    });
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(`${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
  return {
    note: (url) => writeFile(path, JSON.stringify({ ...holder, url } satisfies Holder)),
    release: () => rm(path, { force: true }),
  };
}

async function requireEnded(path: string, folder: string): Promise<void> {
  const holder = JSON.parse(await readFile(path, 'utf8').catch(() => 'null')) as Partial<Holder> | null;
  if (typeof holder?.pid !== 'number' || !isRunning(holder.pid)) return;
  throw new CliError(
    `another console writes to ${folder}: process ${holder.pid}${holder.url === undefined ? '' : ` at ${holder.url}`}; use it, or stop it. If that process is something else, remove ${path}`,
  );
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
