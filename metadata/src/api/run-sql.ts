/** `run_sql`: runs SQL of an admin on the database of a source. */
import { z } from 'zod';
import { sourceArgument } from '../commands/edit/change.ts';
import type { DroppedObject } from './metadata.ts';

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
});
export type RunSql = z.infer<typeof RunSql>;

export interface SqlResult {
  readonly result_type: 'TuplesOk' | 'CommandOk';
  /** The column names, then the rows as text; SQL null is `NULL`. Null for a statement without rows. */
  readonly result: readonly (readonly string[])[] | null;
  /** Metadata objects that `cascade` dropped. */
  readonly dropped?: readonly DroppedObject[];
}
