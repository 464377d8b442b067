/** The actions of `joinery seed ...`: SQL files with initial rows, by database. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect, ServiceError } from '../../client/connection.ts';
import { paint, printLine, warn } from '../../print.ts';
import { openProject, type Project, type ProjectFlags } from '../../project/config.ts';
import { readSql } from './files.ts';
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
  for (const database of databases) {
    const chosen = chooseFiles(found.get(database) ?? [], given.file, database);
    const had = given.once === true ? await readHad(connection, database) : new Set();
    const files = chosen.filter((path) => !had.has(basename(path)));
    if (files.length === 0) continue;
    await send(connection, database, files);
    for (const path of files) printLine(`${paint('green', 'seeded')} ${database} from ${basename(path)}`);
    count += files.length;
  }
  return count;
}

async function send(connection: Connection, source: string, files: readonly string[]): Promise<void> {
  const commands: SqlCommand[] = [];
  for (const path of files)
    commands.push({ type: 'run_sql', args: { source, sql: await readSql(path), check_metadata_consistency: false } });
  const names = files.map((path) => `('${basename(path).replaceAll("'", "''")}')`).join(', ');
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
    const message = `${name}${error.reason} (${error.code}; ${kept})`;
    throw new CliError({ message, place }, { cause: error });
  }
}

async function readHad(connection: Connection, source: string): Promise<ReadonlySet<string>> {
  const [there] = await readRows(connection, source, `select to_regclass('${table}') is not null`);
  if (there?.[0] !== 't') return new Set();
  return new Set((await readRows(connection, source, `select file from ${table}`)).map(([file = '']) => file));
}

/** Returns the seed files by database; files directly in the folder belong to `default`. */
async function seedFiles(directory: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const entry of await list(directory)) {
    if (entry.isFile() && entry.name.endsWith('.sql')) add(found, 'default', join(directory, entry.name));
    if (!entry.isDirectory()) continue;
    for (const inner of await list(join(directory, entry.name))) {
      if (inner.isFile() && inner.name.endsWith('.sql'))
        add(found, entry.name, join(directory, entry.name, inner.name));
    }
  }
  for (const files of found.values()) files.sort((one, other) => (basename(one) < basename(other) ? -1 : 1));
  return found;
}

function add(found: Map<string, string[]>, database: string, path: string): void {
  found.set(database, [...(found.get(database) ?? []), path]);
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

export async function seedCreate(name: string, given: SeedFlags): Promise<number> {
  const project = await openProject(given, process.env);
  if (!/^[\w.-]+$/.test(name)) throw new CliError(`"${name}" cannot be the name of a file`);
  const folder = join(project.seedsDirectory, given.databaseName ?? 'default');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${Date.now()}_${name}.sql`);
  await writeFile(path, '-- Rows to begin with. Seeds may be applied again: use "on conflict do nothing".\n', {
    flag: 'wx',
  });
  printLine(`Created ${path}.`);
  const later = (await list(folder)).map((entry) => entry.name).filter((file) => file > basename(path));
  if (later.length > 0) {
    warn(`Seeds are applied in the order of their names: ${later.join(', ')} will be applied after this file.`);
  }
  return 0;
}
