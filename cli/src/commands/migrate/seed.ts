/** The actions of `joinery seed ...`: SQL files with initial rows, by database. */
import { readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect, ServiceError } from '../../client/connection.ts';
import { paint, printLine, withProgress } from '../../print.ts';
import { openProject, type Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { readSql } from './files.ts';
import { adviceOnMissing } from './missing-objects.ts';
import { sqlPlace } from './sql-place.ts';
import { readRows, type SqlCommand } from './state.ts';

export interface SeedFlags extends ProjectFlags {
  readonly databaseName?: string;
  readonly file?: readonly string[];
  /** Skips files that were applied to this database. */
  readonly once?: boolean;
}

const table = 'joinery.database_seeds';

export async function seedApply(given: SeedFlags): Promise<number> {
  const project = await openProject(given, process.env);
  const connection = connect(project);
  const applied = await applySeeds(project, connection, given);
  if (applied === 0) {
    printLine(
      given.once === true ? 'Nothing to do: the database has had all seeds.' : `No seeds in ${project.seedsDirectory}.`,
    );
  }
  return 0;
}

/** Applies each database's files in one transaction, ordered by name. Returns their number. Throws CliError. */
export async function applySeeds(project: Project, connection: Connection, given: SeedFlags): Promise<number> {
  const found = await seedFiles(project.seedsDirectory);
  const databases = given.databaseName === undefined ? [...found.keys()] : [given.databaseName];
  let count = 0;
  for (const [index, database] of databases.entries()) {
    const chosen = chooseFiles(found.get(database) ?? [], given.file, database);
    const had = given.once === true ? await readHad(connection, database) : new Set();
    const names = new Map(chosen.map((path) => [path, seedName(project.seedsDirectory, database, path)]));
    const files = chosen.filter((path) => !had.has(names.get(path) ?? path));
    if (files.length === 0) continue;
    const label = `seeding ${database} (${index + 1} of ${databases.length} databases) from ${files.length} files`;
    const noted = [...new Set(files.map((path) => names.get(path) ?? path))];
    await withProgress(label, () => send(connection, database, files, noted));
    for (const path of files) printLine(`${paint('green', 'seeded')} ${database} from ${names.get(path)}`);
    count += files.length;
  }
  return count;
}

async function send(
  connection: Connection,
  source: string,
  files: readonly string[],
  noted: readonly string[],
): Promise<void> {
  const commands: SqlCommand[] = [];
  for (const path of files)
    commands.push({ type: 'run_sql', args: { source, sql: await readSql(path), check_metadata_consistency: false } });
  const names = noted.map((name) => `('${name.replaceAll("'", "''")}')`).join(', ');
  const note = `
    do $$ begin
      if to_regnamespace('joinery') is null then create schema if not exists joinery; end if;
      if to_regclass('${table}') is null then
        create table if not exists ${table} (file text primary key, applied_at timestamptz not null default now());
      end if;
    end $$;
    insert into ${table} (file) values ${names} on conflict (file) do update set applied_at = now()`;
  commands.push({ type: 'run_sql', args: { source, sql: note, check_metadata_consistency: false } });
  try {
    await connection.command('bulk', commands, { api: '/v2/query', timeoutMs: 0 });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const index = Number(/^\$\.args\[(\d+)\]/.exec(error.path)?.[1] ?? '0');
    const [file, sql] = [files[index], commands[index]?.args.sql];
    const place = file === undefined || typeof sql !== 'string' ? undefined : sqlPlace(file, sql, error);
    const name = place === undefined ? `${file ?? 'the record of the seeds'}: ` : '';
    // The bulk is rolled back, except for what the SQL committed itself.
    const ended = (error.internal as { readonly transaction_ended?: unknown } | undefined)?.transaction_ended === true;
    const kept = ended ? 'its committed part was not undone' : 'nothing was seeded';
    const advice = adviceOnMissing(error.reason, source);
    const details = advice === undefined ? ' ' : `\n  ${advice}\n  `;
    const message = `${name}${error.reason}${details}(${error.code}; ${kept})`;
    throw new CliError({ message, place }, { cause: error });
  }
}

async function readHad(connection: Connection, source: string): Promise<ReadonlySet<string>> {
  const [there] = await readRows(connection, source, `select to_regclass('${table}') is not null`);
  if (there?.[0] !== 't') return new Set();
  return new Set((await readRows(connection, source, `select file from ${table}`)).map(([file = '']) => file));
}

/** Returns the path below the folder of the database. */
function seedName(directory: string, database: string, path: string): string {
  const name = relative(directory, path).split(sep).join('/');
  return name.startsWith(`${database}/`) ? name.slice(database.length + 1) : name;
}

/** Returns the seed files by database, ordered by path; files directly in the folder belong to `default`. */
async function seedFiles(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const entry of await list(directory)) {
    const path = join(directory, entry.name);
    const [database, files] = entry.isDirectory() ? [entry.name, await filesBelow(path)] : ['default', [path]];
    const sql = files.filter((file) => /\.sql$/i.test(file));
    if (sql.length > 0) found.set(database, [...(found.get(database) ?? []), ...sql].sort(byText));
  }
  return found;
}

/** Returns the files of the folder and of the folders in it. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await list(folder);
  const below = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
  return (await Promise.all(below)).flat();
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function chooseFiles(
  files: readonly string[],
  selected: readonly string[] | undefined,
  database: string,
): readonly string[] {
  if (selected === undefined) return files;
  return selected.map((name) => {
    const path = files.find((file) => basename(file) === name);
    if (path === undefined)
      throw new CliError(
        `there is no seed "${name}" for ${database}; there is ${files.map((file) => basename(file)).join(', ') || 'none'}`,
      );
    return path;
  });
}

async function list(directory: string) {
  return readdir(directory, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new CliError(`${directory} cannot be read: ${cause.message}`, { cause });
  });
}
