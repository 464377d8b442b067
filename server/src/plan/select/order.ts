/** Plans order_by and distinct_on. */
import { ServiceError } from '../../base/errors.ts';
import { selectAccess } from '../../model/permissions/access.ts';
import { computedColumn, computedRows, requireSortable } from '../../model/predicate/context.ts';
import type { AggregateFunction, Column, Relationship, Table } from '../../model/types/table.ts';
import type { PlanContext } from '../context/context.ts';
import { type InputCount, tooMany } from '../document/input-limits.ts';
import type { OrderAggregate, OrderKey, OrderTerm } from '../plan/query.ts';

type ByColumn = Extract<OrderKey, { kind: 'column' }>;
/** The rows of an aggregate: those of a relationship or of a computed field. */
type AggregatedRows =
  | Omit<Extract<OrderKey, { kind: 'aggregate' }>, keyof OrderAggregate>
  | Omit<Extract<OrderKey, { kind: 'computedAggregate' }>, keyof OrderAggregate>;

type Direction = Pick<OrderTerm, 'direction' | 'nulls'>;

/** Nulls sort as larger than all other values, unless the direction specifies their position. */
const directions: Readonly<Record<string, Direction>> = {
  asc: { direction: 'asc', nulls: 'last' },
  asc_nulls_first: { direction: 'asc', nulls: 'first' },
  asc_nulls_last: { direction: 'asc', nulls: 'last' },
  desc: { direction: 'desc', nulls: 'first' },
  desc_nulls_first: { direction: 'desc', nulls: 'first' },
  desc_nulls_last: { direction: 'desc', nulls: 'last' },
};

/**
 * Returns the terms in the order of the request. `value` is a settled `order_by` argument of `table`: a list of objects
 * whose members name columns, relationships and their aggregates. Members that are null are ignored.
 */
export function planOrder(context: PlanContext, table: Table, value: unknown, path = '$'): readonly OrderTerm[] {
  const items = asList(value);
  const most = context.count.limits.orderTerms;
  context.count.addPredicateMembers(items.length, () => path);
  const terms: OrderTerm[] = [];
  for (const item of items) {
    for (const term of termsOf(context, table, item, path)) terms.push(term);
    if (terms.length > most) throw tooMany(`order_by has more than ${most} terms`, path);
  }
  return terms;
}

/** Maximum depth of nested relationships. Each level is a join. */
const DEEPEST = 100;

function termsOf(context: PlanContext, table: Table, value: unknown, path: string, depth = 0): OrderTerm[] {
  if (depth > DEEPEST) {
    throw new ServiceError('validation-failed', `order_by is nested more than ${DEEPEST} levels deep`, { path });
  }
  const entries = entriesOf(value);
  context.count.addPredicateMembers(entries.length, () => path);
  return entries.flatMap(([name, below]): OrderTerm[] => {
    const column = table.columns.get(name) ?? computedColumn(table, name);
    if (column !== undefined)
      return [{ by: { kind: 'column', column, ...seenIn(context, table, column) }, ...directionOf(below) }];
    const relationship = table.relationships.get(name);
    if (relationship !== undefined) return throughObject(context, relationship, below, path, depth);
    const base = name.replace(/_aggregate$/, '');
    const aggregated = table.relationships.get(base);
    if (aggregated !== undefined) {
      return byAggregates(context, aggregated.target, below, { kind: 'aggregate', relationship: aggregated });
    }
    const rows = computedRows(table, base);
    if (rows !== undefined) {
      return byAggregates(context, rows.table, below, { kind: 'computedAggregate', routine: rows.routine });
    }
    throw new TypeError(`nothing in ${table.name} can be ordered by ${name}`);
  });
}

function throughObject(
  context: PlanContext,
  relationship: Relationship,
  value: unknown,
  path: string,
  depth: number,
): OrderTerm[] {
  const filter = filterOf(context, relationship.target);
  return termsOf(context, relationship.target, value, path, depth + 1).map((term) => ({
    ...term,
    by: { kind: 'related', relationship, filter, key: term.by },
  }));
}

/** `{ count: desc, max: { id: asc } }` */
function byAggregates(context: PlanContext, target: Table, value: unknown, rows: AggregatedRows): OrderTerm[] {
  const filter = filterOf(context, target);
  return entriesOf(value).flatMap(([name, below]): OrderTerm[] => {
    const key = (column: Column | undefined): OrderKey => ({
      ...rows,
      filter,
      function: name as AggregateFunction,
      column,
      ...seenIn(context, target, column),
    });
    if (name === 'count') return [{ by: key(undefined), ...directionOf(below) }];
    return entriesOf(below).map(([field, direction]) => ({
      by: key(target.columns.get(field)),
      ...directionOf(direction),
    }));
  });
}

/** Returns the row rule of the role for the rows that determine the order. */
function filterOf(context: PlanContext, target: Table) {
  const access = selectAccess(target, context.role);
  if (access === undefined) throw new TypeError(`the role may not order by ${target.name}`);
  return access.filter;
}

/** Returns the rows in which the role sees the column, if not in all. */
function seenIn(context: PlanContext, table: Table, column: Column | undefined): Pick<ByColumn, 'seen'> {
  const seen = column && selectAccess(table, context.role)?.cells?.get(column);
  return seen === undefined ? {} : { seen };
}

function directionOf(value: unknown): Direction {
  const direction = directions[String(value)];
  if (direction === undefined) throw new TypeError(`not a direction: ${String(value)}`);
  return direction;
}

/** Returns the columns of a settled `distinct_on` argument. Throws if `order` does not start with the same columns. */
export function planDistinct(
  { limits }: InputCount,
  table: Table,
  value: unknown,
  order: readonly OrderTerm[],
  path: string,
): readonly Column[] {
  const names = asList(value);
  if (names.length > limits.distinctColumns) {
    throw tooMany(`distinct_on has more than ${limits.distinctColumns} columns`, `${path}.distinct_on`);
  }
  const columns = new Set(names.flatMap((name) => table.columns.get(String(name)) ?? []));
  for (const column of columns) requireSortable(column, `${path}.distinct_on`);
  const leading = order.slice(0, columns.size).map(({ by }) => (by.kind === 'column' ? by.column : undefined));
  const matches = new Set(leading).size === columns.size && leading.every((column) => column && columns.has(column));
  if (order.length > 0 && !matches) {
    throw new ServiceError('validation-failed', '"distinct_on" columns must match initial "order_by" columns', {
      path,
    });
  }
  return [...columns];
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Returns the members that are not null, in order. */
function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter(([, member]) => member !== null);
}
