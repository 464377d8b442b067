/** A row limit that fails the statement with a recognizable error. */
import { ident, integer, literal, type Sql, sql } from './sql.ts';

const marker = ' rows, more than a list may hold';

/**
 * Returns the array, or fails when it has more than `most` items. PostgreSQL has no expression that raises an error, so the
 * count and a marker are cast to a number. The cast depends on the rows: a constant would fail when the statement is
 * planned. `offset 0` keeps the array from being computed twice. `name` must be unique in the statement.
 */
export function atMostRows(array: Sql, most: number, name: string): Sql {
  const rows = ident(name);
  const failing = sql`${rows}.a[(cardinality(${rows}.a) || ${literal(marker)})::int4 :]`;
  const checked = sql`case when cardinality(${rows}.a) > ${integer(most)} then ${failing} else ${rows}.a end`;
  return sql`(select ${checked} from (select ${array} as a offset 0) as ${rows})`;
}

/** Whether the statement failed because a list exceeded its row limit. */
export function isTooManyRows({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return code === '22P02' && message.includes(marker);
}
