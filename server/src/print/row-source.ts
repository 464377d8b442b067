/** Prints the source rows of a list: filtered, sorted, distinct and paged. */
import type { Column, Predicate, Table } from '../model/types/table.ts';
import type { Count, FieldPlan, RowsPlan } from '../plan/plan/query.ts';
import { cast, empty, ident, integer, join, type Sql, slot, sql, value } from '../postgres/sql/sql.ts';
import { maskedColumn, type RowSource, rowSource } from './cells.ts';
import { type Direction, type OrderedBy, orderBy, printOrder } from './order.ts';
import { conditionsOn } from './predicate.ts';
import { compared, type Printing, rowsAs, type SourcedRows, whereAll } from './printing.ts';

const bigint = { sqlName: 'int8' };

/**
 * Returns conditions on a row by its name, such as those of the relationship. Undefined for rows without a parent.
 */
export type Condition = ((row: string) => readonly Sql[]) | undefined;

/** Returns ` where ...` for the row named `row`: the conditions of its parent and of the plan. */
export function whereOf(rows: RowsPlan, row: string, on: Condition, printing: Printing): Sql {
  return whereAll([...(on?.(row) ?? []), ...conditionsOn(row, rows.where, printing)]);
}

/** The printed page. */
export interface PrintedPage {
  /** A select of the needed columns of the rows. */
  readonly select: Sql;
  /** Returns the order of the page for rows of the select with this name. */
  readonly order: (row: string) => readonly OrderedBy[];
  /** Returns a row of the select with this name. */
  readonly source: (row: string) => RowSource;
}

/** The columns and flags that a select of rows has to return. */
export interface Needs {
  readonly columns: Set<Column>;
  /** Conditions for cells that the role sees in some rows only. */
  readonly seen: Set<Predicate>;
}

const rising: Direction = { direction: 'asc', nulls: 'last' };

/** Whether the page may omit rows that match the conditions. Ignores the row limit of the role. */
export function isPaged(rows: RowsPlan): boolean {
  return rows.distinctOn.length > 0 || rows.limit !== undefined || rows.offset !== undefined;
}

/**
 * Prints a page as a select with the needed columns and those that sort its rows again. `numbered` preserves the sequence of
 * rows without an order; `unsorted` rows are sorted by the caller.
 */
export function printPage(
  rows: SourcedRows,
  on: Condition,
  needs: Needs,
  printing: Printing,
  form: 'sorted' | 'numbered' | 'unsorted' = 'sorted',
): PrintedPage {
  const row = printing.row();
  const source = rowSource(row, printing);
  const keys = printOrder(rows.orderBy, source, printing);
  const sorts = keys.map((key) => ({ ...key, as: key.column?.name ?? printing.whole() }));
  const number = form === 'numbered' ? printing.whole() : undefined;
  const flags = new Map([...needs.seen].map((condition) => [condition, printing.whole()] as const));
  const plain = new Set([...needs.columns, ...sorts.flatMap(({ column }) => column ?? [])]);
  const list = [
    ...[...plain].map((column) => ident(row, column.name)),
    ...sorts.flatMap(({ by, column, as }) => (column === undefined ? [sql`${by} as ${ident(as)}`] : [])),
    ...[...flags].map(([condition, as]) => sql`${source.seen(condition)} as ${ident(as)}`),
    ...(number === undefined ? [] : [sql`row_number() over () as ${ident(number)}`]),
  ];
  // PostgreSQL rejects `distinct on ()`.
  if (list.length === 0) list.push(sql`1`);
  const distinct = rows.distinctOn.map((column) =>
    compared(maskedColumn(source, column, rows.cells?.get(column), printing), column.type),
  );
  const where = whereOf(rows, row, on, printing);
  const from = sql`${rowsAs(rows, row, printing)}${join(source.joins, '')}`;
  const order = form === 'unsorted' ? empty : orderBy(keys);
  return {
    select: sql`select ${distinctOn(distinct)}${join(list, ', ')} from ${from}${where}${order}${page(rows)}`,
    order: (outer) => [
      ...sorts.map((sort) => ({ ...sort, by: ident(outer, sort.as) })),
      ...(number === undefined ? [] : [{ by: ident(outer, number), term: rising, column: undefined }]),
    ],
    source: (outer) => ({
      row: outer,
      joins: [],
      seen: (condition) => {
        const flag = flags.get(condition);
        if (flag === undefined) throw new TypeError(`a page of ${rows.table.name} has no flag for a cell`);
        return ident(outer, flag);
      },
    }),
  };
}

function distinctOn(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? empty : sql`distinct on (${join(columns, ', ')}) `;
}

/** Returns ` limit n offset m`. */
export function page(rows: Pick<RowsPlan, 'limit' | 'rowLimit' | 'offset' | 'withTies'>): Sql {
  const most = limit(rows.limit, rows.rowLimit);
  if (rows.withTies && most !== undefined) return sql` fetch first (${most}) rows with ties`;
  const skipped = rows.offset === undefined ? empty : sql` offset ${count(rows.offset)}`;
  return sql`${most === undefined ? empty : sql` limit ${most}`}${skipped}`;
}

/** Returns ` limit n` for the row limit of a role. */
export function limitOf(ofRole: number | undefined): Sql {
  return ofRole === undefined ? empty : sql` limit ${integer(ofRole)}`;
}

/**
 * Prints a constant limit in the text, because it affects the choice of the plan, and an offset as a parameter, so that all
 * pages of a list share one statement.
 */
function limit(requested: Count | undefined, ofRole: number | undefined): Sql | undefined {
  if (requested === undefined) return ofRole === undefined ? undefined : integer(ofRole);
  if (requested.kind === 'constant') return integer(Math.min(requested.value, ofRole ?? requested.value));
  return ofRole === undefined ? count(requested) : sql`least(${count(requested)}, ${integer(ofRole)})`;
}

/** Null is no limit. */
export function count(from: Count): Sql {
  if (from.kind === 'constant') return cast(value(String(from.value)), bigint);
  return cast(slot({ kind: 'variable', name: from.name, encode: asText }), bigint);
}

function asText(given: unknown): string | null {
  return given === null || given === undefined ? null : String(given);
}

/** Returns the columns and flags that `fields` read, in addition to `others`. */
export function needsOf({ table }: RowsPlan, fields: readonly FieldPlan[], others?: Needs): Needs {
  const columns = new Set(others?.columns);
  const seen = new Set(others?.seen);
  for (const field of fields) {
    switch (field.kind) {
      case 'column':
      case 'phantom':
        if (field.seen !== undefined) seen.add(field.seen);
        if (field.column.computed === undefined) columns.add(field.column);
        else addAll(columns, table);
        break;
      case 'computed':
        if (field.seen !== undefined) seen.add(field.seen);
        addAll(columns, table);
        break;
      case 'computedRows':
        addAll(columns, table);
        break;
      case 'object':
      case 'array':
      case 'aggregate':
      case 'connection':
        for (const { from } of field.relationship.mapping) columns.add(from);
        break;
      case 'nodeId':
        for (const column of field.key) columns.add(column);
        break;
      case 'constant':
      case 'join':
        break;
      default:
        field satisfies never;
    }
  }
  return { columns, seen };
}

/** A computed field may read any column. */
function addAll(columns: Set<Column>, table: Table): void {
  for (const column of table.columnsByName.values()) columns.add(column);
}
