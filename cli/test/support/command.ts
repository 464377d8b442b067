/** Runs the `joinery` command as a process, and projects to run it in. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/joinery.mjs', import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly out: string;
  /** Without the message about a service that does not respond in time, which depends on the load of the machine. */
  readonly err: string;
}

const silence = /^.* has not responded for 3 s; waiting up to \d+ s\n/m;

/** Runs the command to its end, with only the given settings of Joinery in its environment. */
export function joinery(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Outcome> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('JOINERY_') && name !== 'DATABASE_URL');
  const env = { ...Object.fromEntries(clean), ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env, cwd, maxBuffer: 1e8 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err: err.replace(silence, '') });
    });
  });
}

export interface TestProject {
  readonly folder: string;
  /** Returns every file by its path, except those of `.git`. */
  texts(): Promise<Record<string, string>>;
  remove(): Promise<void>;
}

/** Copies one of the projects in `cli/test/projects/`. */
export async function copyOfProject(name: string): Promise<TestProject> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-project-'));
  await cp(fileURLToPath(new URL(`../projects/${name}`, import.meta.url)), folder, { recursive: true });
  return {
    folder,
    texts: () => textsIn(folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function textsIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.sort().map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}
