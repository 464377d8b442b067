/**
 * Runs one migration. Usually it is one transaction that ends with the record of the migration. A file with several
 * transactions runs one after the other, each with a record of its progress; a file without transactions runs statement
 * by statement. SQL that took effect is never run again, and SQL that did not is never skipped.
 */
import { createHash } from 'node:crypto';
import { type ControlProblem, transactionsOf } from '@joinery/metadata/sql/statements';
import { CliError, type Place } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { ServiceError } from '../../client/connection.ts';
import type { Migration } from './files.ts';
import { titleOf } from './files.ts';
import { adviceOnMissing } from './missing-objects.ts';
import { sqlPlace } from './sql-place.ts';
import { runsAlone, splitStatements, splitUnits } from './sql-statements.ts';
import {
  type Applied,
  forget,
  guardApply,
  guardRollback,
  isTaken,
  noteApplied,
  type SqlCommand,
  sqlStateOf,
} from './state.ts';

export interface PartRun {
  readonly connection: Connection;
  readonly source: string;
  readonly migration: Migration;
  /** The file and its content. */
  readonly path: string;
  readonly sql: string;
  /** Progress of a partly applied migration. */
  readonly begun: Applied | undefined;
  readonly check: boolean;
  readonly cascade: boolean;
  readonly takeOver: boolean;
}

/** First line of files that run without a transaction. */
const outside = /^\s*--\s*joinery:\s*no-transaction\b/i;

/**
 * Whether the file runs statement by statement: its first line declares it, or it has only statements that cannot run in a
 * transaction. With `permitted`, one such statement among others is enough.
 */
export function isWithoutTransaction(sql: string, permitted: boolean): boolean {
  if (outside.test(sql)) return true;
  const statements = splitStatements(sql);
  return statements.length > 0 && (permitted ? statements.some(runsAlone) : statements.every(runsAlone));
}

/** Runs the transactions of the file in order, each with a record of its progress. */
export async function applyTransactions(run: PartRun): Promise<void> {
  const { connection, source, migration, path, sql } = run;
  const parts = readTransactions(run);
  const first = partsApplied(
    run,
    parts.map((part) => part.sql),
  );
  let before = run.begun;
  for (const [index, part] of parts.entries()) {
    if (index < first) continue;
    const applied = progressOf(
      parts.map((one) => one.sql),
      index + 1,
    );
    const note = noteApplied(source, migration, parts.length === 1 ? undefined : applied);
    const own = splitStatements(part.sql).length === 0 ? [] : [sqlCommand(run, part.sql)];
    try {
      await send(connection, [guardApply(source, migration, before), ...own, note]);
    } catch (error) {
      if (!(error instanceof ServiceError) || isTaken(error)) throw error;
      // The guard and the record are not part of the file.
      const isOwn = error.path.startsWith('$.args[1]') && own.length > 0;
      const place = isOwn ? sqlPlace(path, part.sql, error, sql.slice(0, part.start)) : undefined;
      throw failure(run, place, error, endsTransaction(error) ? committedUnseen : keptOf(index, parts.length));
    }
    before = { ...migration, at: '', ...applied };
  }
}

function keptOf(index: number, count: number): string {
  if (count === 1) return 'it was rolled back';
  const others = index === 1 ? 'transaction 1 is' : `transactions 1 to ${index} are`;
  const kept = index === 0 ? 'nothing was committed' : `${others} committed and recorded`;
  return `transaction ${index + 1} of ${count} was rolled back, ${kept}; "joinery migrate apply" continues with transaction ${index + 1}`;
}

const committedUnseen =
  'its committed part was not undone, and the migration is not recorded as applied; undo that part yourself';

/** Whether the SQL ended its transaction, for example inside a procedure. */
function endsTransaction({ internal }: ServiceError): boolean {
  return (internal as { readonly transaction_ended?: unknown } | undefined)?.transaction_ended === true;
}

/** Runs down SQL as one transaction, because its progress is not recorded. */
export async function rollBackTransaction(run: PartRun): Promise<void> {
  const { connection, source, migration, path } = run;
  const [part, second] = readTransactions(run);
  if (part === undefined) return;
  if (second !== undefined) {
    const message = `the file has several transactions, and a failure would leave the migration partly undone; nothing was run. Remove the commit, or start the file with "${marker}"`;
    throw new CliError({ message, place: placeAt(run, second.start - 1) });
  }
  const own = splitStatements(part.sql).length === 0 ? [] : [sqlCommand(run, part.sql)];
  const commands = [guardRollback(source, migration), ...own, forget(source, migration)];
  await send(connection, commands).catch((error: unknown) => {
    if (isTaken(error) || !(error instanceof ServiceError)) throw error;
    const place = error.path.startsWith('$.args[1]') ? sqlPlace(path, part.sql, error) : undefined;
    throw failure(run, place, error, endsTransaction(error) ? committedUnseen : 'it was rolled back');
  });
}

const marker = '-- joinery: no-transaction';

function readTransactions(run: PartRun) {
  const { transactions, problem } = transactionsOf(run.sql);
  if (problem === undefined) return transactions;
  throw new CliError({
    message: `${problemOf(problem)}; nothing was run`,
    place: placeAt(run, problem.statement.start),
  });
}

function problemOf({ control }: ControlProblem): string {
  switch (control) {
    case 'rollback':
      return `a migration cannot roll back its own transaction: remove the SQL that the rollback undoes`;
    case 'begin with options':
      return `a transaction with options needs "${marker}" as the first line of the file`;
    case 'prepare transaction':
      return `a migration cannot prepare a transaction, because another session would have to commit it`;
    default:
      return control satisfies never;
  }
}

/** Runs statement by statement and records each. Other processes wait. */
export async function applyOutside(run: PartRun): Promise<void> {
  const { connection, source, migration, path } = run;
  const units = splitUnits(run.sql);
  const texts = units.map(({ text }) => text);
  const first = partsApplied(run, texts);
  const note = (parts: number, running: boolean) =>
    noteApplied(source, migration, { ...progressOf(texts, parts), running });
  await send(connection, [guardApply(source, migration, run.begun), note(first, true)]);
  for (const [index, unit] of units.entries()) {
    if (index < first) continue;
    try {
      await runOutside(run, unit.text);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const ended = tookEffect(error) ? index + 1 : index;
      await send(connection, [ended === 0 ? forget(source, migration) : note(ended, false)]);
      const place = sqlPlace(path, unit.text, error, run.sql.slice(0, unit.start));
      const next = nextOf(ended, units.length);
      throw failure(run, place, error, `${keptOutside(index, units.length, ended)}${next}`);
    }
    if (index < units.length - 1) await send(connection, [note(index + 1, true)]);
  }
  await send(connection, [noteApplied(source, migration)]);
}

function nextOf(ended: number, count: number): string {
  if (ended === 0) return '';
  return ended === count
    ? '; the migration is recorded as applied'
    : `; "joinery migrate apply" continues with statement ${ended + 1}`;
}

/** Records the end only: after an error the next rollback starts with the first statement. */
export async function rollBackOutside(run: PartRun): Promise<void> {
  const { connection, source, migration, path } = run;
  const units = splitUnits(run.sql);
  for (const [index, unit] of units.entries()) {
    await runOutside(run, unit.text).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const place = sqlPlace(path, unit.text, error, run.sql.slice(0, unit.start));
      const ended = tookEffect(error) ? index + 1 : index;
      const kept = keptOutside(index, units.length, ended);
      throw failure(run, place, error, `${kept}; the next rollback begins with the first statement`);
    });
  }
  await send(connection, [guardRollback(source, migration), forget(source, migration)]);
}

async function runOutside(run: PartRun, sql: string): Promise<void> {
  const { args } = sqlCommand(run, sql);
  await run.connection.command('run_sql', { ...args, transaction: false }, { api: '/v2/query', timeoutMs: 0 });
}

/** Whether a statement took effect and the metadata became inconsistent with it. */
function tookEffect({ reason }: ServiceError): boolean {
  return reason.startsWith('the SQL took effect');
}

function keptOutside(index: number, count: number, ended: number): string {
  const which = `statement ${index + 1} of ${count} without a transaction`;
  if (ended > index) return `${which}: it took effect, as did all before it`;
  if (index === 0) return `${which}: it is the first statement`;
  return `${which}: ${index === 1 ? 'the statement before it took effect' : `the ${index} statements before it took effect`}`;
}

/** Returns the number of applied parts. Throws CliError where their SQL has changed since. */
function partsApplied({ begun, path, migration, takeOver }: PartRun, parts: readonly string[]): number {
  if (begun === undefined || begun.parts === 0) return 0;
  if (begun.parts <= parts.length && begun.digest === digestOf(parts.slice(0, begun.parts))) return begun.parts;
  if (takeOver) return 0;
  throw new CliError(
    `${path}: the first ${begun.parts} parts of ${titleOf(migration)} took effect at ${begun.at}, and their SQL was changed since; restore it to go on behind them, or give --take-over to run the whole file`,
  );
}

function progressOf(parts: readonly string[], applied: number) {
  const done = applied === parts.length;
  return { done: done && applied > 0, parts: applied, digest: digestOf(parts.slice(0, applied)), running: false };
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function sqlCommand({ source, check, cascade }: PartRun, sql: string): SqlCommand {
  // Without a check, old migrations may drop what the metadata of today uses.
  const consistency = check || cascade ? { cascade } : { check_metadata_consistency: false };
  return { type: 'run_sql', args: { source, sql, ...consistency } };
}

export async function send(connection: Connection, commands: readonly SqlCommand[]): Promise<void> {
  await connection.command('bulk', commands, { api: '/v2/query', timeoutMs: 0 });
}

function placeAt({ path, sql }: PartRun, offset: number): Place {
  const lines = sql.slice(0, offset).split('\n');
  return { file: path, line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** SQLSTATE of statements that cannot run in a transaction, and of procedures that end theirs. */
const needsNone = new Set(['25001', '2D000']);

function failure({ path, source }: PartRun, place: Place | undefined, error: ServiceError, kept: string): CliError {
  const { error: reported } = (error.internal ?? {}) as {
    readonly error?: { readonly description?: string | null; readonly hint?: string | null };
  };
  const more = [reported?.description, reported?.hint].filter((one) => typeof one === 'string' && one !== '');
  const objects = Array.isArray(error.internal)
    ? (error.internal as readonly { readonly reason?: string }[]).map(({ reason }) => reason)
    : [];
  const advice = needsNone.has(sqlStateOf(error) ?? '')
    ? `start the file with "${marker}" to run it outside of a transaction`
    : adviceOnMissing(error.reason, source);
  const details = [...more, ...objects, ...(advice === undefined ? [] : [advice])].map((one) => `\n  ${one}`).join('');
  const file = place === undefined ? `${path}: ` : '';
  const reason = error.reason.replace(/; "transaction": false runs it outside of a transaction$/, '');
  const message = `${file}${reason}${details}\n  (${error.code}; ${kept})`;
  return new CliError({ message, place }, { cause: error });
}
