/** Prints `order by`, including keys through relationships. */
import { comparedType } from '../model/predicate/column-types.ts';
import type { Column, Table } from '../model/types/table.ts';
import type { OrderKey, OrderTerm } from '../plan/plan/query.ts';
import { bareCall } from '../plan/select/function-call.ts';
import { empty, ident, join, type Sql, sql } from '../postgres/sql/sql.ts';
import { printCall, wholeRow } from './call.ts';
import { maskedColumn, type RowSource, rowSource } from './cells.ts';
import { conditionsOn, seenColumn } from './predicate.ts';
import { compared, keyPart, matching, type Printing, tableAs, whereAll } from './printing.ts';
import { aggregateCall } from './values.ts';

export type Direction = Pick<OrderTerm, 'direction' | 'nulls'>;

export interface OrderedBy {
  readonly by: Sql;
  readonly term: Direction;
  /** Set where `by` is a column of the row. */
  readonly column: Column | undefined;
}

type Related = Extract<OrderKey, { kind: 'related' }>;
type Aggregate = Extract<OrderKey, { kind: 'aggregate' | 'computedAggregate' }>;

/** Returns one key for each term, in order. */
export function printOrder(terms: readonly OrderTerm[], source: RowSource, printing: Printing): readonly OrderedBy[] {
  return terms.map((term) => ({
    by: orderKey(term.by, source, printing),
    term,
    column: term.by.kind === 'column' && isPlain(term.by) ? term.by.column : undefined,
  }));
}

/** Whether the key is the column itself. */
function isPlain({ column, seen }: Extract<OrderKey, { kind: 'column' }>): boolean {
  return seen === undefined && column.computed === undefined && comparedType(column.type) === column.type;
}

/** Returns ` order by a, b desc nulls last`; empty without keys. */
export function orderBy(keys: readonly OrderedBy[]): Sql {
  if (keys.length === 0) return empty;
  return sql` order by ${join(
    keys.map(({ by, term }) => sql`${by}${suffix(term)}`),
    ', ',
  )}`;
}

/** Prints the position of nulls only where it differs from PostgreSQL's default. */
function suffix({ direction, nulls }: Direction): Sql {
  if (direction === 'asc') return nulls === 'last' ? empty : sql` nulls first`;
  return nulls === 'first' ? sql` desc` : sql` desc nulls last`;
}

function orderKey(key: OrderKey, source: RowSource, printing: Printing): Sql {
  switch (key.kind) {
    case 'column':
      return compared(maskedColumn(source, key.column, key.seen, printing), key.column.type);
    case 'place':
      return sql`array_position(${keyPart(printing, key.index)}, ${compared(ident(source.row, key.column.name), key.column.type)})`;
    case 'related':
      return throughRelationship(key, source, printing);
    case 'aggregate':
    case 'computedAggregate':
      return aggregateOf(key, source.row, printing);
    default:
      return key satisfies never;
  }
}

/** Uses a lateral join instead of a subselect, so that the planner may use a hash or merge join for many rows. */
function throughRelationship(key: Related, { row, joins }: RowSource, printing: Printing): Sql {
  const { relationship, filter } = key;
  const target = printing.row();
  const behind = rowSource(target, printing);
  const by = orderKey(key.key, behind, printing);
  const where = whereAll([...matching(relationship, row, target), ...conditionsOn(target, filter, printing)]);
  const from = sql`${tableAs(relationship.target, target, printing)}${join(behind.joins, '')}`;
  const joined = printing.row();
  const match = relationship.mapping.map(({ to }) => to);
  const one = oneOf(relationship.target, match, target);
  joins.push(sql` left join lateral (select ${by} as "key" from ${from}${where}${one}) as ${ident(joined)} on true`);
  return ident(joined, 'key');
}

function aggregateOf(key: Aggregate, row: string, printing: Printing): Sql {
  const target = printing.row();
  const own = key.kind === 'aggregate' ? matching(key.relationship, row, target) : [];
  const where = whereAll([...own, ...conditionsOn(target, key.filter, printing)]);
  const { column } = key;
  const value =
    column === undefined
      ? sql`${ident(key.function)}(*)`
      : aggregateCall(key.function, seenColumn(target, column, key.seen, printing), column.type);
  const from =
    key.kind === 'aggregate'
      ? tableAs(key.relationship.target, target, printing)
      : sql`${printCall(bareCall(key.routine), wholeRow(row), printing)} as ${ident(target)}`;
  return sql`(select ${value} from ${from}${where})`;
}

/**
 * Returns ` order by key limit 1` where several rows of `table` may have the same values in `columns`. Otherwise empty, or
 * ` limit 1` with `alone`, which keeps the planner from joining the select.
 */
export function oneOf(table: Table, columns: readonly Column[], row: string, alone = false): Sql {
  if (holdsKey(table, columns)) return alone ? sql` limit 1` : empty;
  const key = (table.primaryKey ?? []).map((column) => ident(row, column.name));
  return sql`${key.length === 0 ? empty : sql` order by ${join(key, ', ')}`} limit 1`;
}

function holdsKey({ primaryKey, uniqueKeys }: Table, columns: readonly Column[]): boolean {
  const given = new Set(columns.map(({ name }) => name));
  const keys = uniqueKeys.map((key) => key.columns);
  if (primaryKey !== undefined) keys.push(primaryKey.map(({ name }) => name));
  return keys.some((names) => names.length > 0 && names.every((name) => given.has(name)));
}
