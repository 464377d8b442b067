/** Takes a database from the migrations it has to those it shall have, one transaction each. */
import type { Connection } from './connection.ts';
import { RefusedError } from './connection.ts';
import { compareVersions, type Migration, readSql, titleOf } from './migration-files.ts';
import {
  type Applied,
  isTaken,
  noteApplied,
  noteEnd,
  noteRolledBack,
  prepareState,
  type SqlCommand,
} from './migration-state.ts';
import { progress } from './output.ts';
import { type Place, ProjectError } from './project-error.ts';
import { sqlPlace } from './sql-place.ts';
import { splitStatements } from './sql-statements.ts';

export interface Step {
  readonly migration: Migration;
  readonly way: 'up' | 'down';
}

/** What the command line asks for; nothing means all that is missing. */
export interface Wanted {
  readonly up?: number;
  readonly down?: number;
  readonly goto?: string;
  readonly version?: string;
  readonly type?: 'up' | 'down';
}

/** The steps from what is applied to what is wanted. Throws ProjectError where there is no such migration. */
export function planSteps(files: readonly Migration[], applied: readonly Applied[], wanted: Wanted): readonly Step[] {
  const has = new Set(applied.map(({ version }) => version));
  const missing = files.filter(({ version }) => !has.has(normal(version)));
  const ups = (list: readonly Migration[]): Step[] => list.map((migration) => ({ migration, way: 'up' }));
  const downs = (list: readonly Applied[]): Step[] =>
    [...list].reverse().map(({ version, name }) => ({
      migration: files.find((file) => normal(file.version) === version) ?? lost(version, name),
      way: 'down',
    }));
  if (wanted.version !== undefined) {
    const { version, type = 'up' } = wanted;
    const migration = files.find((file) => normal(file.version) === normal(version));
    if (migration === undefined) throw new ProjectError(`there is no migration with the number ${version}`);
    if (has.has(normal(version)) === (type === 'up')) return [];
    return [{ migration, way: type }];
  }
  if (wanted.goto !== undefined) {
    const { goto } = wanted;
    if (goto !== '0' && !files.some(({ version }) => normal(version) === normal(goto))) {
      throw new ProjectError(`there is no migration with the number ${goto}; 0 goes before the first`);
    }
    const after = applied.filter(({ version }) => compareVersions(version, goto) > 0);
    return [...downs(after), ...ups(missing.filter(({ version }) => compareVersions(version, goto) <= 0))];
  }
  if (wanted.down !== undefined) return downs(wanted.down === 0 ? [] : applied.slice(-wanted.down));
  return ups(wanted.up === undefined ? missing : missing.slice(0, wanted.up));
}

/** Without zeros in front, as the database has it. */
function normal(version: string): string {
  return BigInt(version).toString();
}

function lost(version: string, name: string): Migration {
  return { version, name, up: undefined, down: undefined, folder: undefined };
}

export interface RunOptions {
  /** Notes the steps as done and runs no SQL. */
  readonly skipExecution: boolean;
  /** Drops metadata that the SQL breaks, instead of refusing the SQL. */
  readonly cascade: boolean;
  /** Runs what is marked as under way by another applier. */
  readonly takeOver: boolean;
}

/** Runs the steps in order, telling each. Throws ProjectError at the first that fails; those before it stand. */
export async function runSteps(
  connection: Connection,
  source: string,
  steps: readonly Step[],
  options: RunOptions,
  tell: (step: Step, outcome: 'done' | 'elsewhere') => void,
): Promise<void> {
  if (steps.length > 0) await prepareState(connection, source);
  for (const [index, step] of steps.entries()) {
    const label = `${step.way === 'up' ? 'applying' : 'rolling back'} ${titleOf(step.migration)} (${index + 1} of ${steps.length})`;
    const began = Date.now();
    const show = (): void => progress(`${label}, ${Math.round((Date.now() - began) / 1000)} s`);
    show();
    const ticking = setInterval(show, 1000);
    try {
      await runStep(connection, source, step, options);
      progress(undefined);
      tell(step, 'done');
    } catch (error) {
      progress(undefined);
      if (!isTaken(error)) throw error;
      tell(step, 'elsewhere');
    } finally {
      clearInterval(ticking);
    }
  }
}

async function runStep(connection: Connection, source: string, step: Step, options: RunOptions): Promise<void> {
  const { migration, way } = step;
  const note = way === 'up' ? noteApplied(source, migration) : noteRolledBack(source, migration);
  if (options.skipExecution) {
    await send(connection, [note]);
    return;
  }
  const path = migration[way];
  if (path === undefined) throw new ProjectError(missingFile(migration, way));
  const sql = await readSql(path);
  if (isWithoutTransaction(sql)) {
    await runOutside(connection, source, step, path, sql, options);
    return;
  }
  const own = splitStatements(sql).length === 0 ? [] : [sqlCommand(source, sql, options)];
  await send(connection, [note, ...own]).catch((error: unknown) => {
    if (isTaken(error) || !(error instanceof RefusedError)) throw error;
    // The note before it is no part of the file.
    const place = error.path.startsWith('$.args[1]') ? sqlPlace(path, sql, error) : undefined;
    throw failure(path, place, error, 'nothing of it was kept');
  });
}

function missingFile(migration: Migration, way: 'up' | 'down'): string {
  const title = titleOf(migration);
  const what = way === 'down' && migration.up === undefined ? 'has no files in this project' : `has no ${way}.sql`;
  return `migration ${title} ${what}; write it, or give --skip-execution to only note the step`;
}

/** The first line of a file that PostgreSQL cannot run in a transaction. */
const outside = /^\s*--\s*joinery:\s*no-transaction\b/i;

export function isWithoutTransaction(sql: string): boolean {
  return outside.test(sql);
}

/** Noted as under way first, so that nobody else begins it; statements that were run before one fails stay. */
async function runOutside(
  connection: Connection,
  source: string,
  { migration, way }: Step,
  path: string,
  sql: string,
  options: RunOptions,
): Promise<void> {
  if (way === 'up' && options.takeOver) await send(connection, [noteEnd(source, migration, 'gone')]);
  if (way === 'up') await send(connection, [noteApplied(source, migration, false)]);
  const statements = splitStatements(sql);
  let from = 0;
  for (const [index, statement] of statements.entries()) {
    const { args } = sqlCommand(source, statement, options);
    from = sql.indexOf(statement, from);
    try {
      await connection.command('run_sql', { ...args, transaction: false }, { api: '/v2/query', timeoutMs: 0 });
    } catch (error) {
      if (way === 'up' && error instanceof RefusedError) await send(connection, [noteEnd(source, migration, 'gone')]);
      const kept = index === 0 ? 'it is the first statement' : `the ${index} statements before it stay`;
      if (!(error instanceof RefusedError)) throw error;
      const which = `statement ${index + 1} of ${statements.length} without a transaction`;
      throw failure(path, sqlPlace(path, statement, error, sql.slice(0, from)), error, `${which}: ${kept}`);
    }
    from += statement.length;
  }
  await send(connection, [way === 'up' ? noteEnd(source, migration, 'done') : noteRolledBack(source, migration)]);
}

function sqlCommand(source: string, sql: string, { cascade }: RunOptions): SqlCommand {
  return { type: 'run_sql', args: { source, sql, cascade } };
}

async function send(connection: Connection, commands: readonly SqlCommand[]): Promise<void> {
  await connection.command('bulk', commands, { api: '/v2/query', timeoutMs: 0 });
}

function failure(path: string, place: Place | undefined, error: RefusedError, kept: string): ProjectError {
  const { error: told } = (error.internal ?? {}) as {
    readonly error?: { readonly description?: string | null; readonly hint?: string | null };
  };
  const more = [told?.description, told?.hint].filter((one) => typeof one === 'string' && one !== '');
  const objects = Array.isArray(error.internal)
    ? (error.internal as readonly { readonly reason?: string }[]).map(({ reason }) => reason)
    : [];
  const details = [...more, ...objects].map((one) => `\n  ${one}`).join('');
  const file = place === undefined ? `${path}: ` : '';
  const message = `${file}${error.reason}${details}\n  (${error.code}; ${kept})`;
  return new ProjectError({ message, place }, { cause: error });
}
