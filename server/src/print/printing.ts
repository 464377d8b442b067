/** What the parts of the printer share while one statement is printed: its settings and its row names. */
import type { Relationship, Table } from '../model/types/table.ts';
import type { RowsPlan } from '../plan/plan/query.ts';
import { empty, ident, join, type Sql, sql } from '../postgres/sql/sql.ts';

export interface PrintSettings {
  /** bigint, numeric and double precision as JSON strings. */
  readonly stringifyNumerics: boolean;
  /** Rows of one list; one that has more fails. No limit unless given. */
  readonly maxRows?: number;
}

export interface Printing {
  readonly settings: PrintSettings;
  /** A name for a row that no other row of the statement has: `t1`. */
  row(): string;
  /**
   * A name for a row that is used whole (`select "o:2" from (...) "o:2"`). PostgreSQL would take it for a column if one
   * had that name, so it holds a colon, which no GraphQL name can.
   */
  whole(): string;
  /** Part `index` of the key of the join that the statement fetches for, typed; a list of keys is an array of them. */
  readonly key?: (index: number) => Sql;
}

export function startPrinting(settings: PrintSettings): Printing {
  let count = 0;
  return {
    settings,
    row: () => `t${++count}`,
    whole: () => `o:${++count}`,
  };
}

/** The rows of a plan. `source`, if set, is read in place of the table: a function call, or rows that were changed. */
export interface SourcedRows extends RowsPlan {
  readonly source?: Sql | undefined;
}

/** `"public"."album" as "t1"`, or the source of the rows in place of the table. */
export function rowsAs({ source, table }: Pick<SourcedRows, 'source' | 'table'>, row: string): Sql {
  return source === undefined ? tableAs(table, row) : sql`${source} as ${ident(row)}`;
}

/** `"public"."album" as "t1"`. */
export function tableAs(table: Table, row: string): Sql {
  return sql`${ident(table.schema, table.name)} as ${ident(row)}`;
}

/** ` where a and b`; nothing without conditions. */
export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? empty : sql` where ${join(conditions, ' and ')}`;
}

/** Part `index` of the key of the join. Throws where no join is printed. */
export function keyPart({ key }: Printing, index: number): Sql {
  if (key === undefined) throw new TypeError('only a join has keys');
  return key(index);
}

/** The conditions under which the row `to` stands behind `relationship` of the row `from`. */
export function matching(relationship: Relationship, from: string, to: string): readonly Sql[] {
  return relationship.mapping.map((pair) => sql`${ident(to, pair.to.name)} = ${ident(from, pair.from.name)}`);
}
