/** Selects whose rows are JSON objects, as values of another select. */
import { atMostRows } from '../postgres/sql/row-limit.ts';
import { ident, type Sql, sql } from '../postgres/sql/sql.ts';
import type { RowSource } from './cells.ts';
import type { RowObject } from './object.ts';
import type { Printing } from './printing.ts';

/** A select, and the expression of one of its rows as a value. */
export interface ObjectSelect {
  readonly select: Sql;
  readonly value: RowObject['value'];
  /** Maximum rows of a list; undefined where the list cannot exceed the limit. */
  readonly maxRows?: number | undefined;
}

/** Returns `array(...)` of all rows. */
export function listOf({ select, value, maxRows }: ObjectSelect, printing: Printing): Sql {
  const whole = printing.whole();
  const list = sql`array(select ${value(whole)} from (${select}) as ${ident(whole)})`;
  return maxRows === undefined ? list : atMostRows(list, maxRows, printing.whole());
}

/** Returns the row, or null. */
export function singleOf({ select, value }: ObjectSelect, printing: Printing): Sql {
  const whole = printing.whole();
  return sql`(select ${value(whole)} from (${select}) as ${ident(whole)})`;
}

/**
 * The rows whose members are computed. Of few rows, related objects are looked up one by one, which preserves the sequence
 * of unordered rows and keeps the planner from hashing a whole table. Of many rows the planner may choose the join, and the
 * rows are sorted again (3,503 tracks with their albums: 5.0 ms joined, 7.8 ms numbered and joined, 10 ms one by one; pages
 * of 20: 0.13, 0.19 and 0.11 ms).
 */
export interface Rows {
  readonly source: RowSource;
  readonly few: boolean;
  /** Returns the row as a value of the table's type. */
  readonly whole: () => Sql;
}
