/** Statements of the `sql` tag whose rows are read by column name. */

import type { Query } from '../client/statement-run.ts';
import { bind, compile, type Sql } from './sql.ts';

/** A row as PostgreSQL prints it: text, or null. */
export type TextRow<Column extends string> = Readonly<Record<Column, string | null>>;

/** Runs a statement and returns the named columns of its rows. Throws a TypeError for a column that it does not return. */
export async function queryRows<Column extends string>(
  query: Query,
  statement: Sql,
  columns: readonly Column[],
): Promise<readonly TextRow<Column>[]> {
  const { fields, rows } = await runStatement(query, statement);
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
  const compiled = compile(statement);
  return query({ text: compiled.text, values: bind(compiled, { variables: {}, session: new Map(), missing }) });
}

function missing(name: string): never {
  throw new TypeError(`the statement uses the session variable ${name}, and runs without a session`);
}
