/** The rows of a list before anything is made of them: filtered, sorted, distinct, cut to a page. */
import type { Column } from '../model/table-model.ts';
import type { Count, FieldPlan, RowsPlan } from '../plan/plan.ts';
import { cast, empty, ident, integer, join, type Sql, slot, sql, value } from '../postgres/sql.ts';
import { addAll } from './aggregate.ts';
import { type Direction, type Order, orderBy, printOrder } from './order.ts';
import { conditionsOn, seenColumn } from './predicate.ts';
import { type Printing, tableAs, whereAll } from './printing.ts';

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
  readonly order: (row: string) => Order['keys'];
}

const rising: Direction = { direction: 'asc', nulls: 'last' };

/** Does the page hold fewer rows than fulfil the conditions? A role's row limit is not counted. */
export function isPaged(rows: RowsPlan): boolean {
  return rows.distinctOn.length > 0 || rows.limit !== undefined || rows.offset !== undefined;
}

/**
 * A page as a select of its own, with `columns` and what it takes to sort its rows again. `numbered` keeps rows that have
 * no order in the one they come in.
 */
export function printBase(
  rows: RowsPlan,
  on: Condition,
  columns: ReadonlySet<Column>,
  printing: Printing,
  numbered = false,
): Base {
  const row = printing.row();
  const order = printOrder(rows.orderBy, row, printing);
  const sorts = order.keys.map((key) => ({ ...key, as: key.column?.name ?? printing.whole() }));
  const number = numbered ? printing.whole() : undefined;
  const plain = new Set([...columns, ...sorts.flatMap(({ column }) => column ?? [])]);
  const list = [
    ...[...plain].map((column) => ident(row, column.name)),
    ...sorts.flatMap(({ by, column, as }) => (column === undefined ? [sql`${by} as ${ident(as)}`] : [])),
    ...(number === undefined ? [] : [sql`row_number() over () as ${ident(number)}`]),
  ];
  // PostgreSQL refuses `distinct on` over no columns at all.
  if (list.length === 0) list.push(sql`1`);
  const distinct = rows.distinctOn.map((column) => seenColumn(row, column, rows.cells?.get(column), printing));
  const where = whereOf(rows, row, on, printing);
  const from = sql`${tableAs(rows.table, row)}${join(order.joins, '')}`;
  return {
    select: sql`select ${distinctOn(distinct)}${join(list, ', ')} from ${from}${where}${orderBy(order.keys)}${page(rows)}`,
    order: (outer) => [
      ...sorts.map((sort) => ({ ...sort, by: ident(outer, sort.as) })),
      ...(number === undefined ? [] : [{ by: ident(outer, number), term: rising, column: undefined }]),
    ],
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

/** The columns of the row that its members, `fields`, are made of. */
export function columnsOf({ table }: RowsPlan, fields: readonly FieldPlan[]): Set<Column> {
  const columns = new Set<Column>();
  for (const field of fields) {
    switch (field.kind) {
      case 'column':
        columns.add(field.column);
        if (field.seen !== undefined) addAll(columns, table);
        break;
      case 'phantom':
        if (field.column.computed === undefined) columns.add(field.column);
        else addAll(columns, table);
        break;
      case 'computed':
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
  return columns;
}
