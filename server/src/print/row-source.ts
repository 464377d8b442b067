/** The rows of a list before anything is made of them: filtered, sorted, distinct, cut to a page. */
import type { Column, Predicate, Table } from '../model/types/table.ts';
import type { Count, FieldPlan, RowsPlan } from '../plan/plan/query.ts';
import { cast, empty, ident, integer, join, type Sql, slot, sql, value } from '../postgres/sql/sql.ts';
import { maskedColumn, type RowSource, rowSource } from './cells.ts';
import { type Direction, type OrderedBy, orderBy, printOrder } from './order.ts';
import { conditionsOn } from './predicate.ts';
import { type Printing, rowsAs, type SourcedRows, whereAll } from './printing.ts';

const bigint = { sqlName: 'int8' };

/**
 * What the rows hang on: conditions on the row of that name, such as those of the relationship it stands behind.
 * Undefined for rows that hang on nothing.
 */
export type Condition = ((row: string) => readonly Sql[]) | undefined;

/** What holds of the row named `row`: where it hangs, and the plan's own conditions. */
export function whereOf(rows: RowsPlan, row: string, on: Condition, printing: Printing): Sql {
  return whereAll([...(on?.(row) ?? []), ...conditionsOn(row, rows.where, printing)]);
}

export interface Base {
  /** A select of the columns of the page's rows. */
  readonly select: Sql;
  /** The order of the page for rows of the select under that name. */
  readonly order: (row: string) => readonly OrderedBy[];
  /** A row of the select under that name. */
  readonly source: (row: string) => RowSource;
}

/** What a select of rows has to return so that something can be made of them. */
export interface Needs {
  readonly columns: Set<Column>;
  /** Conditions under which the role sees a cell. */
  readonly seen: Set<Predicate>;
}

const rising: Direction = { direction: 'asc', nulls: 'last' };

/** Does the page hold fewer rows than fulfil the conditions? A role's row limit is not counted. */
export function isPaged(rows: RowsPlan): boolean {
  return rows.distinctOn.length > 0 || rows.limit !== undefined || rows.offset !== undefined;
}

/**
 * A page as a select of its own, with what is needed of its rows and what it takes to sort its rows again. `numbered` keeps rows that have
 * no order in the one they come in.
 */
export function printBase(rows: SourcedRows, on: Condition, needs: Needs, printing: Printing, numbered = false): Base {
  const row = printing.row();
  const source = rowSource(row, printing);
  const keys = printOrder(rows.orderBy, source, printing);
  const sorts = keys.map((key) => ({ ...key, as: key.column?.name ?? printing.whole() }));
  const number = numbered ? printing.whole() : undefined;
  const flags = new Map([...needs.seen].map((condition) => [condition, printing.whole()] as const));
  const plain = new Set([...needs.columns, ...sorts.flatMap(({ column }) => column ?? [])]);
  const list = [
    ...[...plain].map((column) => ident(row, column.name)),
    ...sorts.flatMap(({ by, column, as }) => (column === undefined ? [sql`${by} as ${ident(as)}`] : [])),
    ...[...flags].map(([condition, as]) => sql`${source.seen(condition)} as ${ident(as)}`),
    ...(number === undefined ? [] : [sql`row_number() over () as ${ident(number)}`]),
  ];
  // PostgreSQL refuses `distinct on` over no columns at all.
  if (list.length === 0) list.push(sql`1`);
  const distinct = rows.distinctOn.map((column) => maskedColumn(source, column, rows.cells?.get(column), printing));
  const where = whereOf(rows, row, on, printing);
  const from = sql`${rowsAs(rows, row)}${join(source.joins, '')}`;
  return {
    select: sql`select ${distinctOn(distinct)}${join(list, ', ')} from ${from}${where}${orderBy(keys)}${page(rows)}`,
    order: (outer) => [
      ...sorts.map((sort) => ({ ...sort, by: ident(outer, sort.as) })),
      ...(number === undefined ? [] : [{ by: ident(outer, number), term: rising, column: undefined }]),
    ],
    source: (outer) => ({
      row: outer,
      joins: [],
      seen: (condition) => {
        const flag = flags.get(condition);
        if (flag === undefined) throw new TypeError(`a page of ${rows.table.name} lacks a flag of its cells`);
        return ident(outer, flag);
      },
    }),
  };
}

function distinctOn(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? empty : sql`distinct on (${join(columns, ', ')}) `;
}

/** ` limit n offset m`. */
export function page(rows: Pick<RowsPlan, 'limit' | 'rowLimit' | 'offset' | 'withTies'>): Sql {
  const most = limit(rows.limit, rows.rowLimit);
  if (rows.withTies && most !== undefined) return sql` fetch first (${most}) rows with ties`;
  const skipped = rows.offset === undefined ? empty : sql` offset ${count(rows.offset)}`;
  return sql`${most === undefined ? empty : sql` limit ${most}`}${skipped}`;
}

/** ` limit n` of a role's row limit. */
export function limitOf(ofRole: number | undefined): Sql {
  return ofRole === undefined ? empty : sql` limit ${integer(ofRole)}`;
}

/**
 * A limit known now stands in the text, because the planner chooses by it and would otherwise plan every run anew; an
 * offset is a parameter, so that paging through a list is one statement.
 */
function limit(asked: Count | undefined, ofRole: number | undefined): Sql | undefined {
  if (asked === undefined) return ofRole === undefined ? undefined : integer(ofRole);
  if (asked.kind === 'constant') return integer(Math.min(asked.value, ofRole ?? asked.value));
  return ofRole === undefined ? count(asked) : sql`least(${count(asked)}, ${integer(ofRole)})`;
}

/** A null count is none. */
function count(from: Count): Sql {
  if (from.kind === 'constant') return cast(value(String(from.value)), bigint);
  return cast(slot({ kind: 'variable', name: from.name, encode: asText }), bigint);
}

function asText(given: unknown): string | null {
  return given === null || given === undefined ? null : String(given);
}

/** What the members `fields` of a row are made of, beside `others`. */
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
        for (const { from } of field.relationship.mapping) columns.add(from);
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

/** A function of the row may read any column. */
function addAll(columns: Set<Column>, table: Table): void {
  for (const column of table.columnsByName.values()) columns.add(column);
}
