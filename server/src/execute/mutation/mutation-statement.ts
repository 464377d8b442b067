/** Statements of mutations, which are printed once for each shape of the data and run in the transaction of the operation. */
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { bind, compile, type Sql, type Statement } from '../../postgres/sql/sql.ts';
import { type Printing, startPrinting } from '../../print/printing.ts';
import type { ExecuteContext, TextRows } from '../context/context.ts';
import { bindings } from '../context/statement.ts';

/** The target of the statements of one mutation. */
export interface Writer {
  readonly context: ExecuteContext;
  readonly database: Database;
  /** Runs a statement, in the transaction if there is one. */
  readonly query: Query;
  /** Whether each statement is committed by itself. */
  readonly commits: boolean;
}

export interface Send {
  /** The part of the plan that the printed statement is cached with. */
  readonly of: object;
  /** Equal for equal statements. Undefined for a statement that is unlikely to be reused. */
  readonly signature: string | undefined;
  readonly print: (printing: Printing) => Sql;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The variables of the request, with additions. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The result on success, with nulls for all values. */
  readonly likely: TextRows;
  /** The path of the data in the operation, for errors. */
  readonly path: string;
}

/** Maximum number of cached shapes for each part of a plan. */
const MAX_SHAPES = 50;

const cache = new WeakMap<object, Map<string, Statement>>();

function statementOf({ of, signature, print }: Send, { settings }: ExecuteContext): Statement {
  if (signature === undefined) return compile(print(startPrinting(settings)));
  const shapes = cache.get(of) ?? new Map<string, Statement>();
  cache.set(of, shapes);
  const key = `${settings.stringifyNumerics}:${signature}`;
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const statement = compile(print(startPrinting(settings)));
  if (shapes.size >= MAX_SHAPES) shapes.clear();
  shapes.set(key, statement);
  return statement;
}

/** Runs one statement and returns its rows. Throws a ServiceError with the path. */
export async function send(what: Send, writer: Writer): Promise<TextRows> {
  const { context, database, query } = writer;
  const statement = statementOf(what, context);
  const { text } = statement;
  const { session, variables } = context;
  try {
    const values = bind(statement, bindings({ session, variables: what.variables ?? variables }, what.inputs));
    if (context.record !== undefined) return context.record({ text, values }, what.likely);
    const name = what.signature === undefined ? undefined : database.prepared(text);
    // A function that writes is called by a select.
    const options = { signal: context.signal, role: session.role, reads: false, span: undefined };
    const { rows } = await query({ text, values, name }, options);
    return rows;
  } catch (error) {
    throw fromPostgres(error, { path: what.path, statement: text });
  }
}

/** Returns the error for a row that fails the check of its permission. */
export function checkFailed(path: string): ServiceError {
  return new ServiceError('permission-error', 'check constraint of an insert/update permission has failed', { path });
}
