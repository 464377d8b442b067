/** Plans and runs the migrations from the applied ones to the requested ones. */

import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { paint, progress, warn, withProgress } from '../../print.ts';
import { compareVersions, type Migration, readSql, titleOf } from './files.ts';
import {
  applyOutside,
  applyTransactions,
  isWithoutTransaction,
  type PartRun,
  rollBackOutside,
  rollBackTransaction,
  send,
} from './parts.ts';
import { type Applied, forget, guardApply, guardRollback, isTaken, noteApplied, prepareState } from './state.ts';

export interface Step {
  readonly migration: Migration;
  readonly way: 'up' | 'down';
  /** Progress of a partly applied migration. */
  readonly begun?: Applied | undefined;
}

/** Options of the command line. Default: all missing migrations. */
export interface Wanted {
  readonly up?: number;
  readonly down?: number;
  readonly goto?: string;
  readonly version?: string;
  readonly type?: 'up' | 'down';
}

/** Returns the steps to the requested state. Throws CliError for unknown migrations. */
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
    if (migration === undefined) throw new CliError(`no migration has the number ${version}`);
    if (has.has(normal(version)) === (type === 'up')) return [];
    return [{ migration, way: type }];
  }
  if (wanted.goto !== undefined) {
    const { goto } = wanted;
    if (goto !== '0' && !files.some(({ version }) => normal(version) === normal(goto))) {
      throw new CliError(`no migration has the number ${goto}; 0 goes before the first`);
    }
    const after = applied.filter(({ version }) => compareVersions(version, goto) > 0);
    return [...downs(after), ...ups(missing.filter(({ version }) => compareVersions(version, goto) <= 0))];
  }
  if (wanted.down !== undefined) return downs(wanted.down === 0 ? [] : applied.slice(-wanted.down));
  return ups(wanted.up === undefined ? missing : missing.slice(0, wanted.up));
}

/** Removes leading zeros, as the database does. */
function normal(version: string): string {
  return BigInt(version).toString();
}

function lost(version: string, name: string): Migration {
  return { version, name, up: undefined, down: undefined, folder: undefined };
}

export interface RunOptions {
  /** Records the steps without running their SQL. */
  readonly skipExecution: boolean;
  /** Compares the metadata with the database after each migration, and rejects SQL that it does not fit. */
  readonly check: boolean;
  /** Drops metadata that depends on dropped objects, instead of rejecting the SQL. Includes `check`. */
  readonly cascade: boolean;
  /** Runs files with a statement that cannot run in a transaction statement by statement. */
  readonly noTransaction: boolean;
  /** Takes over migrations of another process, and partly applied ones whose SQL has changed. */
  readonly takeOver: boolean;
}

/** Runs and prints the steps in order. Throws CliError at the first error; earlier steps stay applied. */
export async function runSteps(
  connection: Connection,
  source: string,
  steps: readonly Step[],
  options: RunOptions,
  onStep: (step: Step, outcome: 'done' | 'elsewhere') => void,
): Promise<void> {
  if (steps.length > 0) await prepareState(connection, source);
  for (const [index, step] of steps.entries()) {
    const label = `${step.way === 'up' ? 'applying' : 'rolling back'} ${titleOf(step.migration)} (${index + 1} of ${steps.length})`;
    try {
      await withProgress(label, () => runStep(reportingDropped(connection), source, step, options));
      onStep(step, 'done');
    } catch (error) {
      if (!isTaken(error)) throw error;
      onStep(step, 'elsewhere');
    }
  }
}

/** Wraps the connection to print the metadata objects that `--cascade` drops. */
function reportingDropped(connection: Connection): Connection {
  return {
    ...connection,
    command: async (type, args, options) => {
      const response = await connection.command(type, args, options);
      const dropped = droppedIn(response);
      if (dropped.length > 0) progress(undefined);
      for (const name of dropped) warn(`${paint('yellow', 'dropped', process.stderr)} ${name}`);
      return response;
    },
  };
}

/** Returns the names of the objects that a command or a bulk dropped. */
function droppedIn(response: unknown): readonly string[] {
  const each = (Array.isArray(response) ? response : [response]) as readonly unknown[];
  return each.flatMap((one) => {
    const { dropped = [] } = (one ?? {}) as { readonly dropped?: readonly { readonly name: string }[] };
    return dropped.map(({ name }) => name);
  });
}

async function runStep(connection: Connection, source: string, step: Step, options: RunOptions): Promise<void> {
  const { migration, way, begun } = step;
  const [guard, note] =
    way === 'up'
      ? [guardApply(source, migration, begun), noteApplied(source, migration)]
      : [guardRollback(source, migration), forget(source, migration)];
  if (options.skipExecution) {
    await send(connection, [guard, note]);
    return;
  }
  const path = migration[way];
  if (path === undefined) throw new CliError(missingFile(migration, way));
  const run: PartRun = { connection, source, migration, path, sql: await readSql(path), begun, ...options };
  if (isWithoutTransaction(run.sql, options.noTransaction))
    await (way === 'up' ? applyOutside(run) : rollBackOutside(run));
  else if (way === 'up') await applyTransactions(run);
  else await rollBackTransaction(run);
}

function missingFile(migration: Migration, way: 'up' | 'down'): string {
  const title = titleOf(migration);
  const what = way === 'down' && migration.up === undefined ? 'has no files in this project' : `has no ${way}.sql`;
  return `migration ${title} ${what}; write it, or give --skip-execution to only note the step`;
}
