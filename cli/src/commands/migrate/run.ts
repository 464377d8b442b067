/** `joinery migrate apply`, `rollback` and `status`. */
import { CliError } from '../../cli-error.ts';
import { type Connection, connect } from '../../client/connection.ts';
import { type OutputFlags, paint, printJson, printLine, table, wantsJson } from '../../print.ts';
import { openProject, type Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { planSteps, runSteps, type Step, type Wanted } from './apply.ts';
import { compareWithMetadata } from './consistency.ts';
import { compareVersions, type Migration, migratedDatabases, readMigrations, readSql, titleOf } from './files.ts';
import { type Applied, readApplied } from './state.ts';

export interface MigrateFlags extends ProjectFlags, OutputFlags {
  readonly databaseName?: string;
}

export interface ApplyFlags extends MigrateFlags, Wanted {
  readonly skipExecution?: boolean;
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly cascade?: boolean;
  readonly takeOver?: boolean;
  /** False for `--no-transaction`. */
  readonly transaction?: boolean;
}

export interface Place {
  readonly project: Project;
  readonly connection: Connection;
  readonly databases: readonly string[];
}

type Compare = (connection: Connection, databases: readonly string[]) => Promise<unknown>;

/**
 * Applies missing migrations; also used by `joinery deploy` and `joinery dev`. The service compares its metadata with the
 * changed databases once, at the end or after an error, unless each migration was compared.
 */
export async function applyMigrations(
  place: Place,
  given: ApplyFlags,
  compare: Compare = compareWithMetadata,
): Promise<readonly (Step & { database: string })[]> {
  const made: (Step & { database: string })[] = [];
  const isCompared = given.check === true || given.cascade === true || given.skipExecution === true;
  const compareOnce = async (): Promise<void> => {
    const changed = [...new Set(made.map(({ database }) => database))];
    if (changed.length > 0 && given.dryRun !== true && !isCompared) await compare(place.connection, changed);
  };
  try {
    for (const database of place.databases) await applyTo(database, place, given, made);
  } catch (error) {
    // The first error is the one to report.
    await compareOnce().catch(() => undefined);
    throw error;
  }
  await compareOnce();
  return made;
}

/** Adds the steps that were completed to `made`. */
async function applyTo(
  database: string,
  place: Place,
  given: ApplyFlags,
  made: (Step & { database: string })[],
): Promise<void> {
  const json = wantsJson(given);
  const files = await readMigrations(place.project.migrationsDirectory, database);
  const applied = await readApplied(place.connection, database);
  requireFinished(applied, given, database);
  const steps = stepsOf(files, applied, given, database);
  if (given.dryRun === true) {
    for (const step of steps) await show(step, database, json);
    made.push(...steps.map((step) => ({ ...step, database })));
    return;
  }
  const options = {
    skipExecution: given.skipExecution === true,
    check: given.check === true,
    cascade: given.cascade === true,
    takeOver: given.takeOver === true,
    noTransaction: given.transaction === false || place.project.noTransaction,
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

function rejectTwoTargets({ up, down, goto, version, type }: ApplyFlags): void {
  const targets = { '--up': up, '--down': down, '--goto': goto, '--version': version };
  const named = Object.entries(targets).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (named.length > 1) throw new CliError(`${named.join(' and ')} exclude each other; give one of them`);
  if (type !== undefined && version === undefined) throw new CliError('--type needs --version');
}

export async function migrateApply(given: ApplyFlags): Promise<number> {
  rejectTwoTargets(given);
  const made = await applyMigrations(await openDatabases(given), given);
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
  throw new CliError({
    code: 'busy',
    message: `migration ${titleOf(begun)} of ${database} started at ${begun.at} and has not ended: another process applies it, or was killed. Wait for it, or run "joinery migrate apply --take-over" to continue: ${begun.parts} of its statements are recorded as completed, and the next one may have taken effect`,
  });
}

async function show({ migration, way }: Step, database: string, json: boolean): Promise<void> {
  const path = migration[way];
  if (json) return;
  printLine(paint('dim', `-- ${database}: ${titleOf(migration)} ${way}${path === undefined ? ' (no file)' : ''}`));
  if (path !== undefined) printLine((await readSql(path)).trimEnd());
}

export async function migrateStatus(given: MigrateFlags): Promise<number> {
  const { project, connection, databases } = await openDatabases(given);
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

/** The project, its service, and the databases that the flags select. */
export async function openDatabases(given: MigrateFlags): Promise<Place> {
  const project = await openProject(given, process.env);
  const all = await migratedDatabases(project.migrationsDirectory);
  const databases = given.databaseName === undefined ? all : [given.databaseName];
  return { project, connection: connect(project), databases };
}

/** As `openDatabases`, for commands on one database: the given one, the only one of the project, or `default`. */
export async function openDatabase(
  given: MigrateFlags,
): Promise<Omit<Place, 'databases'> & { readonly database: string }> {
  const { databases, ...place } = await openDatabases(given);
  const [database = 'default', second] = databases;
  if (second === undefined) return { ...place, database };
  if (databases.includes('default')) return { ...place, database: 'default' };
  throw new CliError(`the project has migrations of ${databases.join(', ')}; select one with --database-name`);
}
