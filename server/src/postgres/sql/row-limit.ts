/** A list of rows that may not be longer than so many: the statement fails where it is, and the failure is known. */
import { ident, integer, literal, type Sql, sql } from './sql.ts';

const saying = ' rows, more than a list may hold';

/**
 * The array, unless it holds more than `most`. PostgreSQL has no expression that fails with a word of ours, so that one is
 * made to be no number. It depends on the rows: a constant would fail when the statement is planned. The fence `offset 0`
 * keeps the array from being made twice. `name` is one that nothing else in the statement has.
 */
export function atMostRows(array: Sql, most: number, name: string): Sql {
  const rows = ident(name);
  const failing = sql`${rows}.a[(cardinality(${rows}.a) || ${literal(saying)})::int4 :]`;
  const checked = sql`case when cardinality(${rows}.a) > ${integer(most)} then ${failing} else ${rows}.a end`;
  return sql`(select ${checked} from (select ${array} as a offset 0) as ${rows})`;
}

/** Did the statement fail because a list was too long? */
export function isTooManyRows({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return code === '22P02' && message.includes(saying);
}
