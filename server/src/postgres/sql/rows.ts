/** Statements of the `sql` tag whose rows are read by column name. */

import type { Query, QueryResult } from '../client/statement-run.ts';
import { bind, compile, join, type Sql, slot } from './sql.ts';

/** A row as PostgreSQL prints it: text, or null. */
export type TextRow<Column extends string> = Readonly<Record<Column, string | null>>;

/** Runs a statement and returns the named columns of its rows. Throws a TypeError for a column that it does not return. */
export async function queryRows<Column extends string>(
  query: Query,
  statement: Sql,
  columns: readonly Column[],
): Promise<readonly TextRow<Column>[]> {
  return namedRows(await runStatement(query, statement), columns);
}

/** Returns the named columns of the rows of a result. Throws a TypeError for a column that it does not have. */
export function namedRows<Column extends string>(
  { fields, rows }: QueryResult,
  columns: readonly Column[],
): readonly TextRow<Column>[] {
  const positions = columns.map((column) => {
    const position = fields.findIndex(({ name }) => name === column);
    if (position < 0) throw new TypeError(`the statement returns no column ${column}`);
    return [column, position] as const;
  });
  return rows.map(
    (row) => Object.fromEntries(positions.map(([name, at]) => [name, row[at] ?? null])) as TextRow<Column>,
  );
}

/** Runs a statement that has values, and no variables of operations or sessions. */
export function runStatement(query: Query, statement: Sql): ReturnType<Query> {
  return query(printStatement(statement));
}

/** Returns the text and the values of such a statement. */
export function printStatement(statement: Sql): { readonly text: string; readonly values: unknown[] } {
  const compiled = compile(statement);
  return { text: compiled.text, values: bind(compiled, { variables: {}, session: new Map(), missing }) };
}

/** A statement that is compiled once. Its values are given by name, and its rows are read by column name. */
export interface FixedStatement<Input extends string, Column extends string> {
  readonly text: string;
  /** Runs the statement; prepared where `name` is given. */
  run(query: Query, inputs: Readonly<Record<Input, unknown>>, name?: string): Promise<QueryResult>;
  /** Runs the statement and returns its rows. */
  rows(query: Query, inputs: Readonly<Record<Input, unknown>>): Promise<readonly TextRow<Column>[]>;
  /** Runs the statement and returns its first row; undefined without rows. */
  row(query: Query, inputs: Readonly<Record<Input, unknown>>): Promise<TextRow<Column> | undefined>;
}

/**
 * Compiles a statement.
 *
 * @param inputs the names of its values
 * @param columns the names of the columns that it returns
 */
export function fixedStatement<const Input extends string, const Column extends string>(
  inputs: readonly Input[],
  columns: readonly Column[],
  print: (slots: Readonly<Record<Input, Sql>>) => Sql,
): FixedStatement<Input, Column> {
  const slots = Object.fromEntries(inputs.map((name) => [name, slot({ kind: 'input', name })])) as Record<Input, Sql>;
  const compiled = compile(print(slots));
  const session = new Map<string, string>();
  const run = (query: Query, given: Readonly<Record<Input, unknown>>, name?: string): Promise<QueryResult> =>
    query({ text: compiled.text, values: bind(compiled, { variables: {}, session, inputs: given, missing }), name });
  const rows = async (query: Query, given: Readonly<Record<Input, unknown>>): Promise<readonly TextRow<Column>[]> =>
    namedRows(await run(query, given), columns);
  return { text: compiled.text, run, rows, row: async (query, given) => (await rows(query, given))[0] };
}

/** A select list whose columns are read by position: `at` has the position of each by name. */
export interface SelectList<Column extends string> {
  readonly list: Sql;
  readonly at: Readonly<Record<Column, number>>;
}

/** Returns the select list for statements whose rows are too many to copy each into an object with names. */
export function selectList<Column extends string>(columns: Readonly<Record<Column, Sql>>): SelectList<Column> {
  const names = Object.keys(columns) as Column[];
  return {
    list: join(
      names.map((name) => columns[name]),
      ', ',
    ),
    at: Object.fromEntries(names.map((name, index) => [name, index])) as Record<Column, number>,
  };
}

function missing(name: string): never {
  throw new TypeError(`the statement uses the session variable ${name}, and runs without a session`);
}
