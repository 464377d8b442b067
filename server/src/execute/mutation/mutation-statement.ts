/** Statements of mutations: printed once for each shape of the data, run in the transaction of their operation. */
import { ServiceError } from '../../base/errors.ts';
import type { Database, Query } from '../../postgres/client/pool.ts';
import { fromPostgres } from '../../postgres/sql/errors.ts';
import { bind, compile, type Sql, type Statement } from '../../postgres/sql/sql.ts';
import { type Printing, startPrinting } from '../../print/printing.ts';
import type { ExecuteContext, TextRows } from '../context/context.ts';
import { bindings } from '../context/statement.ts';

/** Where the statements of one mutation go. */
export interface Writer {
  readonly context: ExecuteContext;
  readonly database: Database;
  /** Of the transaction. */
  readonly query: Query;
}

export interface Send {
  /** What the printed text belongs to; it is kept with it. */
  readonly of: object;
  /** Equal for what prints alike; undefined for a text that will hardly be sent again. */
  readonly signature: string | undefined;
  readonly print: (printing: Printing) => Sql;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Those of the request and more. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** What it brings where all goes well: rows with nothing in them. */
  readonly likely: TextRows;
  /** For errors: where in the operation the data comes from. */
  readonly path: string;
}

/** Shapes of data that are kept for each part of a plan. */
const MOST_SHAPES = 50;

const kept = new WeakMap<object, Map<string, Statement>>();

function statementOf({ of, signature, print }: Send, { settings }: ExecuteContext): Statement {
  if (signature === undefined) return compile(print(startPrinting(settings)));
  const shapes = kept.get(of) ?? new Map<string, Statement>();
  kept.set(of, shapes);
  const key = `${settings.stringifyNumerics}:${signature}`;
  const known = shapes.get(key);
  if (known !== undefined) return known;
  const statement = compile(print(startPrinting(settings)));
  if (shapes.size >= MOST_SHAPES) shapes.clear();
  shapes.set(key, statement);
  return statement;
}

/** The rows that one statement returns. Throws a ServiceError with the path. */
export async function send(what: Send, writer: Writer): Promise<TextRows> {
  const { context, database, query } = writer;
  const statement = statementOf(what, context);
  const { text } = statement;
  const { session, variables } = context;
  try {
    const values = bind(statement, bindings({ session, variables: what.variables ?? variables }, what.inputs));
    if (context.record !== undefined) return context.record({ text, values }, what.likely);
    const name = what.signature === undefined ? undefined : database.prepared(text);
    const { rows } = await query({ text, values, name }, { signal: context.signal, role: session.role });
    return rows;
  } catch (error) {
    throw fromPostgres(error, { path: what.path, statement: text });
  }
}

/** Of a row that does not fulfil the check of its permission. */
export function checkFailed(path: string): ServiceError {
  return new ServiceError('permission-error', 'check constraint of an insert/update permission has failed', { path });
}
