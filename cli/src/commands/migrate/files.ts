/** The migration files of a project: numbered folders or files with up and down SQL, by database. */
import type { Dirent } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../../cli-error.ts';

export interface Migration {
  /** Digits, usually the creation time in milliseconds since 1970; migrations are ordered by it. */
  readonly version: string;
  readonly name: string;
  /** Paths of the SQL files; undefined where there is none. */
  readonly up: string | undefined;
  readonly down: string | undefined;
  /** The folder of the files; undefined for flat files. */
  readonly folder: string | undefined;
}

const folderName = /^(\d{1,19})(?:_(.+))?$/;
const flatName = /^(\d{1,19})(?:_(.+))?\.(up|down)\.sql$/;

/** Returns the databases with a folder of their own; `default` for projects of the older layout. */
export async function migratedDatabases(directory: string): Promise<readonly string[]> {
  const entries = await list(directory);
  const own = entries.filter((entry) => entry.isDirectory() && !folderName.test(entry.name)).map(({ name }) => name);
  const older = entries.some((entry) => isMigration(entry));
  return older && !own.includes('default') ? ['default', ...own.sort()] : own.sort();
}

/** Returns the migrations in order. Throws CliError for duplicate numbers and for a migration without up SQL. */
export async function readMigrations(directory: string, database: string): Promise<readonly Migration[]> {
  const own = await readFolder(join(directory, database));
  const older = database === 'default' ? await readFolder(directory) : [];
  const all = [...older, ...own].sort((one, other) => compareVersions(one.version, other.version));
  for (const [index, { version, name }] of all.entries()) {
    const next = all[index + 1];
    // Leading zeros do not count, as the database records numbers without them.
    if (next !== undefined && compareVersions(version, next.version) === 0) {
      const message = `two migrations of ${database} have the number ${version}: "${name}" and "${next.name}"; give one another number`;
      throw new CliError(message);
    }
  }
  return all;
}

export function compareVersions(one: string, other: string): number {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Returns `<version>_<name>`. */
export function titleOf({ version, name }: Pick<Migration, 'version' | 'name'>): string {
  return name === '' ? version : `${version}_${name}`;
}

/** Throws CliError for a name that cannot be part of the name of a folder. */
export function requireMigrationName(name: string): void {
  if (/^[\w.-]+$/.test(name)) return;
  throw new CliError(`"${name}" cannot be the name of a folder; use letters, digits, "_", "-" and "."`);
}

export async function readSql(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new CliError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

export interface NewMigration {
  readonly up: string;
  readonly down: string;
}

/** Writes `<directory>/<database>/<version>_<name>/up.sql` and `down.sql`. Returns the path of the folder. */
export async function writeMigration(
  directory: string,
  database: string,
  { version, name }: Pick<Migration, 'version' | 'name'>,
  sql: NewMigration,
): Promise<string> {
  const folder = join(directory, database, titleOf({ version, name }));
  await mkdir(join(directory, database), { recursive: true });
  try {
    await mkdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new CliError(`${folder} already exists; choose another name`, { cause });
  }
  await writeFile(join(folder, 'up.sql'), sql.up);
  await writeFile(join(folder, 'down.sql'), sql.down);
  return folder;
}

/** Removes the folder, or the flat files. */
export async function removeMigration(migration: Migration): Promise<void> {
  const paths = migration.folder === undefined ? [migration.up, migration.down] : [migration.folder];
  for (const path of paths) if (path !== undefined) await rm(path, { recursive: true });
}

async function readFolder(directory: string): Promise<readonly Migration[]> {
  const found: Migration[] = [];
  const flat = new Map<string, { version: string; name: string; up?: string; down?: string }>();
  for (const entry of await list(directory)) {
    const inFolder = entry.isDirectory() ? folderName.exec(entry.name) : null;
    const alone = entry.isFile() ? flatName.exec(entry.name) : null;
    if (inFolder !== null) found.push(await fromFolder(directory, entry.name, inFolder));
    if (alone === null) continue;
    const [, version = '', name = '', way] = alone;
    const known = flat.get(`${version}_${name}`) ?? { version, name };
    const path = join(directory, entry.name);
    flat.set(`${version}_${name}`, { ...known, ...(way === 'up' ? { up: path } : { down: path }) });
  }
  const files = [...flat.values()].map(
    ({ version, name, up, down }): Migration => ({ version, name, up, down, folder: undefined }),
  );
  return [...found, ...files];
}

async function fromFolder(
  directory: string,
  folder: string,
  [, version = '', name = '']: RegExpExecArray,
): Promise<Migration> {
  const path = join(directory, folder);
  const names = new Set((await list(path)).map((entry) => entry.name));
  if (names.has('up.yaml') || names.has('down.yaml')) {
    throw new CliError(
      `${path} has steps in YAML, which change metadata; keep metadata in the metadata directory and leave up.sql and down.sql here`,
    );
  }
  const file = (one: string): string | undefined => (names.has(one) ? join(path, one) : undefined);
  return { version, name, up: file('up.sql'), down: file('down.sql'), folder: path };
}

function isMigration(entry: Dirent): boolean {
  return entry.isDirectory() ? folderName.test(entry.name) : flatName.test(entry.name);
}

async function list(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new CliError(`${directory} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
