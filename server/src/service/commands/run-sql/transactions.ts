/** Runs SQL that begins or ends transactions: in one transaction of the service, or statement by statement. */
import { controlOf, type SqlStatement, statementsOf, transactionsOf } from '@joinery/metadata/sql/statements';
import { ServiceError } from '../../../base/errors.ts';
import type { Query, QueryResult } from '../../../postgres/client/statement-run.ts';
import { fromPostgres, isPostgresError } from '../../../postgres/sql/errors.ts';
import type { CommandContext } from '../../metadata/command-context.ts';

/**
 * Removes a `begin` and a last `commit`, as the SQL runs in a transaction already. Positions stay the same. Throws where
 * the SQL would end that transaction before its last statement, or sets options of it.
 */
export function asOneTransaction(sql: string): string {
  // Faster than splitting; most SQL has none of these words.
  if (!/\b(?:begin|start|commit|end|rollback|abort|prepare)\b/i.test(sql)) return sql;
  const statements = statementsOf(sql);
  let hasControl = false;
  for (const [index, statement] of statements.entries()) {
    const control = controlOf(statement.text);
    const isLast = index === statements.length - 1;
    hasControl ||= control !== undefined;
    if (control === undefined || control === 'begin' || (control === 'commit' && isLast)) continue;
    const what =
      control === 'begin with options'
        ? 'sets options of a transaction other than the one that it runs in'
        : 'would have ended the transaction that it runs in';
    const message = `nothing was run: "${short(statement)}" at line ${lineOf(sql, statement)} ${what}; send each transaction by itself, or give "transaction": false`;
    throw new ServiceError('postgres-error', message, { path: '$.args.sql' });
  }
  return hasControl ? (transactionsOf(sql).transactions[0]?.sql ?? sql) : sql;
}

/**
 * Runs the statements one after the other on the session of `query`, each in its own transaction unless the SQL begins one.
 * Returns their results. An error names the statements that took effect and those that did not run.
 */
export async function runOneByOne(
  query: Query,
  sql: string,
  { signal, span }: Pick<CommandContext, 'signal' | 'span'>,
): Promise<QueryResult[]> {
  const statements = statementsOf(sql);
  const results: QueryResult[] = [];
  let opened: number | undefined;
  for (const [index, { text, start }] of statements.entries()) {
    try {
      results.push(await query({ text, values: [] }, { signal, span, unlimited: true }));
    } catch (error) {
      if (!isPostgresError(error)) throw fromPostgres(error, { path: '$.args' });
      const outcome = describeOutcome(index, opened, statements.length);
      throw sqlError(error, text, { before: sql.slice(0, start), outcome });
    }
    const control = controlOf(text);
    if (control === 'begin' || control === 'begin with options') opened ??= index;
    else if (control !== undefined) opened = undefined;
  }
  // Without statements the text is comments.
  if (statements.length === 0) return [await query({ text: sql, values: [] })];
  if (opened === undefined) return results;
  await query({ text: 'rollback', values: [] });
  const begin = statements[opened];
  const line = begin === undefined ? 1 : lineOf(sql, begin);
  const message = `the transaction that begins at line ${line} has no commit and was rolled back${tookEffect(opened)}`;
  throw new ServiceError('postgres-error', message, { path: '$.args.sql' });
}

/** Describes what happened to the other statements; empty for a single statement. */
function describeOutcome(failed: number, opened: number | undefined, count: number): string {
  if (count === 1) return '';
  const undone = opened === undefined ? '' : `; its transaction, from statement ${opened + 1} on, was rolled back`;
  const left = count - failed - 1;
  const rest = left === 0 ? '' : `; the ${left === 1 ? 'statement' : `${left} statements`} after it did not run`;
  return ` (statement ${failed + 1} of ${count}${undone}${tookEffect(opened ?? failed)}${rest})`;
}

function tookEffect(before: number): string {
  if (before === 0) return '; nothing took effect';
  return before === 1 ? '; the statement before it took effect' : `; the ${before} statements before it took effect`;
}

/** SQLSTATE of statements that cannot run in a transaction, and of procedures that end theirs. */
const requiresNoTransaction = new Set(['25001', '2D000']);

interface SqlErrorContext {
  /** The SQL of the caller before the statement. */
  readonly before?: string;
  /** Number of characters that the service wrote before the statement. */
  readonly lead?: number;
  /** What happened to the other statements. */
  readonly outcome?: string;
  /** Whether the statement ran in a transaction of the service. */
  readonly inTransaction?: boolean;
}

/** Returns the error of a statement that the caller wrote. */
export function sqlError(error: Error, statement: string, context: SqlErrorContext = {}): ServiceError {
  const { before = '', lead = 0, outcome = '', inTransaction = false } = context;
  const { internal } = fromPostgres(error, { statement });
  const position = Number('position' in error ? error.position : Number.NaN) + [...before].length - lead;
  const state = 'code' in error ? String(error.code) : '';
  const advice =
    inTransaction && requiresNoTransaction.has(state) ? '; "transaction": false runs it outside of a transaction' : '';
  return new ServiceError('postgres-error', `query execution failed: ${error.message}${outcome}${advice}`, {
    path: '$.args',
    internal: Number.isNaN(position) ? internal : withPosition(internal, position),
    cause: error,
  });
}

/** Adds the position of the error in the SQL, in characters from 1. */
function withPosition(internal: unknown, position: number): unknown {
  const report = internal as { readonly error: object };
  return { ...report, error: { ...report.error, position } };
}

function short({ text }: SqlStatement): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}...` : line;
}

function lineOf(sql: string, { start }: SqlStatement): number {
  return sql.slice(0, start).split('\n').length;
}
