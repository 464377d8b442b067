/** The state of printing one statement: settings and row names. */
import { comparedType } from '../model/predicate/column-types.ts';
import { operatorFor } from '../model/predicate/operators-common.ts';
import type { ColumnType } from '../model/types/column-type.ts';
import type { Column, Relationship, Table } from '../model/types/table.ts';
import type { RowsPlan } from '../plan/plan/query.ts';
import { cast, empty, ident, join, quoteIdent, type Sql, sql } from '../postgres/sql/sql.ts';

export interface PrintSettings {
  /** Whether bigint, numeric and double precision are JSON strings. */
  readonly stringifyNumerics: boolean;
  /** Maximum rows of one list; more fail the statement. No limit unless given. */
  readonly maxRows?: number;
}

/** The relations that a statement reads. */
export interface StatementReads {
  /** The tables, each as a quoted name with its schema. */
  readonly tables: Set<string>;
  /** Whether it calls a function of the database or contains the SQL of a native query. */
  calls: boolean;
  /** Whether each run may have another result: it reads a volatile function or view, or a native query. */
  isVolatile: boolean;
}

export interface Printing {
  readonly settings: PrintSettings;
  /** Collects the relations of the statement. */
  readonly reads: StatementReads;
  /** Returns a unique name for a row: `t1`. */
  row(): string;
  /**
   * Returns a unique name for a row that is selected as a value (`select "o:2" from (...) "o:2"`). The colon, which no GraphQL
   * name contains, keeps PostgreSQL from resolving it as a column.
   */
  whole(): string;
  /** Returns part `index` of the join key, with its type. A list of keys is an array. */
  readonly key?: (index: number) => Sql;
}

export function startPrinting(settings: PrintSettings): Printing {
  let count = 0;
  return {
    settings,
    reads: { tables: new Set(), calls: false, isVolatile: false },
    row: () => `t${++count}`,
    whole: () => `o:${++count}`,
  };
}

/** The rows of a plan. `source`, if set, is read in place of the table: a function call, or rows that were changed. */
export interface SourcedRows extends RowsPlan {
  readonly source?: Sql | undefined;
}

/** `"public"."album" as "t1"`, or the source of the rows in place of the table. */
export function rowsAs(
  { source, table }: Pick<SourcedRows, 'source' | 'table'>,
  row: string,
  printing: Pick<Printing, 'reads'>,
): Sql {
  return source === undefined ? tableAs(table, row, printing) : sql`${source} as ${ident(row)}`;
}

/** Returns `"public"."album"`. */
export function quotedName({ schema, name }: Table): string {
  return `${quoteIdent(schema)}.${quoteIdent(name)}`;
}

/** Returns `"public"."album" as "t1"`. */
export function tableAs(table: Table, row: string, { reads }: Pick<Printing, 'reads'>): Sql {
  reads.tables.add(quotedName(table));
  if (table.isVolatile) reads.isVolatile = true;
  return sql`${ident(table.schema, table.name)} as ${ident(row)}`;
}

/** Returns ` where a and b`; empty without conditions. */
export function whereAll(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? empty : sql` where ${join(conditions, ' and ')}`;
}

/** Returns part `index` of the join key. Throws where no join is printed. */
export function keyPart({ key }: Printing, index: number): Sql {
  if (key === undefined) throw new TypeError('only a join has keys');
  return key(index);
}

/** Returns `expression` of `type` as a value that PostgreSQL compares and sorts. */
export function compared(expression: Sql, type: ColumnType): Sql {
  const as = comparedType(type);
  return as === type ? expression : cast(sql`(${expression})`, as);
}

/** Returns the conditions that relate the row `to` to the row `from` by `relationship`. */
export function matching(relationship: Relationship, from: string, to: string): readonly Sql[] {
  const value = (row: string, { name, type }: Column) => compared(ident(row, name), type);
  return relationship.mapping.map((pair) => {
    const { type } = pair.to;
    // Columns of different types are compared as a type of PostgreSQL, such as citext with text.
    const equal = type.sqlName === pair.from.type.sqlName ? operatorFor(type, sql`=`) : sql`=`;
    return sql`${value(to, pair.to)} ${equal} ${value(from, pair.from)}`;
  });
}
