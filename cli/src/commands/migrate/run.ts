/** The actions of `joinery migrate ...`. */
import { rm } from 'node:fs/promises';
import { transactionsOf } from '@joinery/metadata/sql/statements';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect } from '../../client/connection.ts';
import { type OutputFlags, paint, printJson, printLine, table, wantsJson } from '../../print.ts';
import { openProject, type Project, type ProjectFlags } from '../../project/config.ts';
import { planSteps, runSteps, type Step, type Wanted } from './apply.ts';
import {
  compareVersions,
  type Migration,
  migratedDatabases,
  readMigrations,
  readSql,
  titleOf,
  writeMigration,
} from './files.ts';
import { isWithoutTransaction } from './parts.ts';
import { type Applied, noteSquashed, prepareState, readApplied } from './state.ts';

export interface MigrateFlags extends ProjectFlags, OutputFlags {
  readonly databaseName?: string;
}

export interface ApplyFlags extends MigrateFlags, Wanted {
  readonly skipExecution?: boolean;
  readonly dryRun?: boolean;
  readonly cascade?: boolean;
  readonly takeOver?: boolean;
}

interface Place {
  readonly project: Project;
  readonly connection: Connection;
  readonly databases: readonly string[];
}

/** Applies missing migrations; also used by `joinery dev`. */
export async function applyMigrations(
  place: Place,
  given: ApplyFlags,
): Promise<readonly (Step & { database: string })[]> {
  const made: (Step & { database: string })[] = [];
  const json = wantsJson(given);
  for (const database of place.databases) {
    const files = await readMigrations(place.project.migrationsDirectory, database);
    const applied = await readApplied(place.connection, database);
    requireFinished(applied, given, database);
    const steps = stepsOf(files, applied, given, database);
    if (given.dryRun === true) {
      for (const step of steps) await show(step, database, json);
      made.push(...steps.map((step) => ({ ...step, database })));
      continue;
    }
    const options = {
      skipExecution: given.skipExecution === true,
      cascade: given.cascade === true,
      takeOver: given.takeOver === true,
    };
    await runSteps(place.connection, database, steps, options, (step, outcome) => {
      if (outcome === 'done') made.push({ ...step, database });
      if (json) return;
      const word = step.way === 'up' ? 'applied' : 'rolled back';
      printLine(
        `${paint('green', word)} ${titleOf(step.migration)} ${outcome === 'done' ? 'on' : 'by another process on'} ${database}`,
      );
    });
  }
  return made;
}

export async function migrateApply(given: ApplyFlags): Promise<number> {
  const made = await applyMigrations(await open(given), given);
  if (wantsJson(given)) {
    printJson(
      made.map(({ migration, way, database }) => ({ database, version: migration.version, name: migration.name, way })),
    );
  } else if (made.length === 0) {
    printLine('Nothing to do: the database has the requested migrations.');
  }
  return 0;
}

/** Throws CliError where a partly applied migration would be rolled back together with others. */
function stepsOf(
  files: readonly Migration[],
  applied: readonly Applied[],
  given: ApplyFlags,
  database: string,
): readonly Step[] {
  const begun = applied.filter((one) => !one.done);
  const isAlone = given.version !== undefined && given.type === 'down';
  const steps = planSteps(files, isAlone ? applied : applied.filter((one) => one.done), given);
  const [first] = begun;
  if (first !== undefined && !isAlone && steps.some(({ way }) => way === 'down')) {
    throw new CliError(
      `migration ${titleOf(first)} of ${database} is partly applied: finish it with "joinery migrate apply", or undo it with --version ${first.version} --type down`,
    );
  }
  return steps.map((step) => ({
    ...step,
    begun: begun.find(({ version }) => compareVersions(version, step.migration.version) === 0),
  }));
}

/** Throws CliError for a migration without a transaction that another process started and has not completed. */
function requireFinished(applied: readonly Applied[], given: ApplyFlags, database: string): void {
  const begun = applied.find((one) => !one.done && one.running);
  if (begun === undefined || given.takeOver === true) return;
  throw new CliError(
    `migration ${titleOf(begun)} of ${database} started at ${begun.at} and has not ended: another process applies it, or was killed. Wait for it, or give --take-over to continue: ${begun.parts} of its statements are recorded as completed, and the next one may have taken effect`,
  );
}

async function show({ migration, way }: Step, database: string, json: boolean): Promise<void> {
  const path = migration[way];
  if (json) return;
  printLine(paint('dim', `-- ${database}: ${titleOf(migration)} ${way}${path === undefined ? ' (no file)' : ''}`));
  if (path !== undefined) printLine((await readSql(path)).trimEnd());
}

export async function migrateStatus(given: MigrateFlags): Promise<number> {
  const { project, connection, databases } = await open(given);
  const lists = [];
  for (const database of databases) {
    const files = await readMigrations(project.migrationsDirectory, database);
    lists.push({ database, migrations: statusOf(files, await readApplied(connection, database)) });
  }
  if (wantsJson(given)) {
    printJson(lists);
    return 0;
  }
  for (const { database, migrations } of lists) {
    printLine(paint('bold', database));
    const rows = migrations.map(({ version, name, file, applied_at, done, parts }) => [
      version,
      name,
      file ? 'yes' : 'no',
      applied_at === null
        ? 'no'
        : done
          ? applied_at
          : `begun ${applied_at}, ${parts} ${parts === 1 ? 'part' : 'parts'} took effect`,
    ]);
    printLine(table(['VERSION', 'NAME', 'IN PROJECT', 'APPLIED'], rows));
  }
  if (lists.length === 0) printLine('No migrations. Create one with "joinery migrate create <name>".');
  return 0;
}

function statusOf(files: readonly Migration[], applied: readonly Applied[]) {
  const has = new Map(applied.map((one) => [one.version, one]));
  const known = files.map(({ version, name }) => {
    const found = has.get(BigInt(version).toString());
    has.delete(BigInt(version).toString());
    const [done, parts] = [found?.done ?? false, found?.parts ?? 0];
    return { version, name, file: true, applied_at: found?.at ?? null, done, parts };
  });
  const gone = [...has.values()].map(({ version, name, at, done, parts }) => ({
    version,
    name,
    file: false,
    applied_at: at,
    done,
    parts,
  }));
  return [...known, ...gone].sort((one, other) => (BigInt(one.version) < BigInt(other.version) ? -1 : 1));
}

export interface CreateFlags extends ProjectFlags {
  readonly databaseName?: string;
  readonly upSql?: string;
  readonly downSql?: string;
}

export async function migrateCreate(name: string, given: CreateFlags): Promise<number> {
  const project = await openProject(given, process.env);
  if (!/^[\w.-]+$/.test(name)) {
    throw new CliError(`"${name}" cannot be the name of a folder; use letters, digits, "_", "-" and "."`);
  }
  const version = String(Date.now());
  const up = given.upSql ?? `-- What this migration changes, as SQL. Each migration is one transaction.\n`;
  const down = given.downSql ?? `-- How to undo it.\n`;
  const folder = await writeMigration(
    project.migrationsDirectory,
    given.databaseName ?? 'default',
    { version, name },
    {
      up: ended(up),
      down: ended(down),
    },
  );
  printLine(`Created ${folder} with up.sql and down.sql.`);
  return 0;
}

export interface SquashFlags extends MigrateFlags {
  readonly from: string;
  readonly to?: string;
  readonly name: string;
  readonly deleteSource?: boolean;
}

/** Combines several migrations; where all of them are applied, the database records the new one instead. */
export async function migrateSquash(given: SquashFlags): Promise<number> {
  const { project, connection } = await open(given);
  const database = given.databaseName ?? 'default';
  const files = await readMigrations(project.migrationsDirectory, database);
  const from = files.findIndex(({ version }) => version === given.from);
  const to = given.to === undefined ? files.length - 1 : files.findIndex(({ version }) => version === given.to);
  if (from === -1 || to === -1)
    throw new CliError(`no migration has the number ${from === -1 ? given.from : given.to}`);
  const chosen = files.slice(from, to + 1);
  if (chosen.length < 2) throw new CliError('there is only one migration in that range; nothing to squash');
  const sql = await squashed(chosen);
  const known = await readApplied(connection, database);
  const applied = new Set(known.filter((one) => one.done).map(({ version }) => version));
  const has = chosen.filter(({ version }) => applied.has(BigInt(version).toString()));
  if (has.length > 0 && has.length < chosen.length) {
    throw new CliError(
      `${has.length} of the ${chosen.length} migrations are applied; apply the rest of them first, or choose a range`,
    );
  }
  // The number of the last one, which keeps the order.
  const version = String(BigInt(chosen.at(-1)?.version ?? '0') + 1n);
  if (files.some((file) => file.version === version)) throw new CliError(`the number ${version} is in use`);
  const folder = await writeMigration(project.migrationsDirectory, database, { version, name: given.name }, sql);
  if (has.length > 0) {
    await prepareState(connection, database);
    const old = chosen.map((one) => BigInt(one.version).toString());
    await connection.command('bulk', [noteSquashed(database, old, { version, name: given.name })], {
      api: '/v2/query',
    });
  }
  printLine(`Created ${folder} from ${chosen.length} migrations.`);
  if (given.deleteSource === true) {
    for (const one of chosen) await remove(one);
    printLine('Removed the original migrations.');
  } else {
    printLine('The original migrations still exist. Remove them, otherwise they are applied as well.');
  }
  return 0;
}

async function squashed(chosen: readonly Migration[]): Promise<{ up: string; down: string }> {
  const part = async (migration: Migration, way: 'up' | 'down'): Promise<string> => {
    const path = migration[way];
    if (path === undefined) return `-- ${titleOf(migration)} has no ${way}.sql\n`;
    const sql = await readSql(path);
    const { transactions } = transactionsOf(sql);
    const [whole] = transactions;
    if (isWithoutTransaction(sql) || whole === undefined || transactions.length > 1)
      throw new CliError(`${path} is not one transaction and cannot be part of one migration with others`);
    const text = whole.sql.trimEnd();
    // Separates a file that ends without a semicolon or in a comment from the next.
    return `-- ${titleOf(migration)}\n${text}\n${text.endsWith(';') ? '' : ';\n'}`;
  };
  const ups = await Promise.all(chosen.map((one) => part(one, 'up')));
  const downs = await Promise.all([...chosen].reverse().map((one) => part(one, 'down')));
  return { up: ups.join('\n'), down: downs.join('\n') };
}

async function remove(migration: Migration): Promise<void> {
  const paths = migration.folder === undefined ? [migration.up, migration.down] : [migration.folder];
  for (const path of paths) if (path !== undefined) await rm(path, { recursive: true });
}

function ended(sql: string): string {
  return sql.endsWith('\n') ? sql : `${sql}\n`;
}

async function open(given: MigrateFlags): Promise<Place> {
  const project = await openProject(given, process.env);
  const all = await migratedDatabases(project.migrationsDirectory);
  const databases = given.databaseName === undefined ? all : [given.databaseName];
  return { project, connection: connect(project), databases };
}
