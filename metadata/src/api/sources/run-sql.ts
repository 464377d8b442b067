/** `run_sql`: runs SQL of an admin on the database of a source. */
import { z } from 'zod';
import { sourceArgument } from '../../commands/edit/change.ts';
import type { DroppedObject } from '../metadata.ts';

export const RunSql = z.strictObject({
  sql: z.string().min(1),
  source: sourceArgument,
  /** Drops the objects that the SQL breaks, instead of rejecting the SQL. */
  cascade: z.boolean().default(false),
  /** Undefined: depends on the words of the SQL. */
  check_metadata_consistency: z.boolean().nullish(),
  read_only: z.boolean().default(false),
  /** False for statements that cannot run in a transaction, such as `create index concurrently`. */
  transaction: z.boolean().default(true),
  /** The opposite of `transaction`, by its name in Hasura v2. */
  no_transaction: z.boolean().default(false),
  /** Returns the result of each statement as `results`, with at most `max_rows` rows, in place of the rows of the last one. */
  all_results: z.strictObject({ max_rows: z.int().min(1).max(100_000).default(1_000) }).nullish(),
});
export type RunSql = z.infer<typeof RunSql>;

export interface SqlResult {
  readonly result_type: 'TuplesOk' | 'CommandOk';
  /** The column names, then the rows as text; SQL null is `NULL`. Null for a statement without rows. */
  readonly result: readonly (readonly string[])[] | null;
  /** The results of all statements, in order, with `all_results`. `result` is null then. */
  readonly results?: readonly StatementResult[];
  /** Metadata objects that `cascade` dropped. */
  readonly dropped?: readonly DroppedObject[];
}

/** The result of one statement of several. */
export interface StatementResult {
  /** The command tag without its numbers: `SELECT`, `INSERT`, `CREATE TABLE`. */
  readonly command: string;
  /** Number of rows returned or changed; 0 for other commands. */
  readonly row_count: number;
  /** Empty for a statement without rows. The types are as in SQL: `numeric(10,2)[]`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The values as text. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Whether the statement has more rows than `max_rows`. */
  readonly more: boolean;
}
