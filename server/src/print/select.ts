/** Prints rows, objects and aggregates of a plan as selects whose rows are JSON objects. */
import { parseJsonPath } from '../base/json-path.ts';
import type { Column, Relationship } from '../model/types/table.ts';
import type { AggregatePart, AggregatePlan, ConnectionPlan, FieldPlan, RowsPlan } from '../plan/plan/query.ts';
import { bareCall } from '../plan/select/function-call.ts';
import { cast, ident, join, type Sql, slot, sql, value } from '../postgres/sql/sql.ts';
import { type AggregatedRow, aggregateNeeds, aggregatePart, constant } from './aggregate.ts';
import { printCall, printSource, rebuiltRow, wholeRow } from './call.ts';
import { masked, maskedColumn, type RowSource, rowSource } from './cells.ts';
import { type Member, rowObject } from './object.ts';
import { listOf, type ObjectSelect, type Rows, singleOf } from './object-select.ts';
import { oneOf, orderBy, printOrder } from './order.ts';
import { matching, type Printing, rowsAs, type SourcedRows } from './printing.ts';
import { printConnection } from './relay/connection.ts';
import { nodeId } from './relay/json-values.ts';
import { type Condition, isPaged, limitOf, needsOf, page, printPage, whereOf } from './row-source.ts';
import { output } from './values.ts';

const textList = { sqlName: 'text[]' };

/** Returns a lateral join with the row, which the planner converts to a plain left join where possible. */
export function joinedFrom({ select, value }: ObjectSelect, printing: Printing): { joined: Sql; row: Sql } {
  const whole = printing.whole();
  return { joined: sql` left join lateral (${select}) as ${ident(whole)} on true`, row: value(whole) };
}

/** Prints a list: filtered, sorted and paged. */
export function selectRows(plan: SourcedRows, on: Condition, printing: Printing): ObjectSelect {
  const { limit, rowLimit, distinctOn } = plan;
  const few = on !== undefined || distinctOn.length > 0 || limit !== undefined || rowLimit !== undefined;
  const { rows, maxRows } = cutBehindLimit(withSource(plan, undefined, printing), printing);
  return { ...selectPlanned(rows, few, on, printing), maxRows };
}

function selectPlanned(rows: SourcedRows, few: boolean, on: Condition, printing: Printing): ObjectSelect {
  const numbered = !few && rows.orderBy.length === 0 && rows.fields.some(({ kind }) => kind === 'object');
  if (!numbered && !cutsFirst(rows)) {
    const row = printing.row();
    const source = rowSource(row, printing);
    const keys = printOrder(rows.orderBy, source, printing);
    const tail = sql`${whereOf(rows, row, on, printing)}${orderBy(keys)}${page(rows)}`;
    const made = { source, few, whole: () => wholeRow(row) };
    return selectObjects(rows.fields, made, rowsAs(rows, row, printing), tail, printing);
  }
  const form = numbered ? 'numbered' : 'sorted';
  const base = printPage(rows, on, needsOf(rows, rows.fields), printing, form);
  const row = printing.row();
  const from = sql`(${base.select}) as ${ident(row)}`;
  const whole = () => rebuiltRow(rows.table, row);
  return selectObjects(rows.fields, { source: base.source(row), few, whole }, from, orderBy(base.order(row)), printing);
}

/** Prints the row that matches `on`; the first by primary key where several have the same values in `match`. */
export function selectRow(
  plan: RowsPlan,
  match: readonly Column[],
  on: Condition,
  printing: Printing,
  alone = false,
): ObjectSelect {
  const rows = withSource(plan, undefined, printing);
  const row = printing.row();
  const tail = sql`${whereOf(rows, row, on, printing)}${oneOf(rows.table, match, row, alone)}`;
  const made = { source: rowSource(row, printing), few: false, whole: () => wholeRow(row) };
  return selectObjects(rows.fields, made, rowsAs(rows, row, printing), tail, printing);
}

/** Reads one row beyond the limit, which shows that there are too many. */
function cutBehindLimit(
  rows: SourcedRows,
  { settings: { maxRows } }: Printing,
): { rows: SourcedRows; maxRows?: number } {
  if (maxRows === undefined) return { rows };
  const { rowLimit = Number.POSITIVE_INFINITY, limit } = rows;
  const requested = limit?.kind === 'constant' ? limit.value : Number.POSITIVE_INFINITY;
  if (Math.min(rowLimit, requested) <= maxRows) return { rows };
  return { rows: rows.withTies ? rows : { ...rows, rowLimit: Math.min(rowLimit, maxRows + 1) }, maxRows };
}

const outward: ReadonlySet<string> = new Set(['object', 'array', 'aggregate', 'connection', 'computedRows']);

/**
 * Whether the page is selected before its members are computed. Otherwise an offset computes the members of skipped rows
 * (offset 300 on Chinook's albums: 2.3 ms instead of 0.37 ms), and a sort without an index joins all rows, or sorts whole
 * objects. With an index for the order the inner select has no advantage.
 */
function cutsFirst(rows: RowsPlan): boolean {
  if (rows.distinctOn.length > 0) return true;
  const made = rows.fields.some(({ kind }) => outward.has(kind));
  return made && (rows.offset !== undefined || !hasIndexToSortBy(rows));
}

function hasIndexToSortBy({ table, orderBy: [first] }: RowsPlan): boolean {
  if (first === undefined) return true;
  if (first.by.kind !== 'column' || first.by.seen !== undefined) return false;
  const { name } = first.by.column;
  return table.primaryKey?.[0]?.name === name || table.uniqueKeys.some(({ columns }) => columns[0] === name);
}

function selectObjects(
  fields: readonly FieldPlan[],
  rows: Rows,
  from: Sql,
  tail: Sql,
  printing: Printing,
): ObjectSelect {
  const { list, value } = rowObject(membersOf(fields, rows, printing));
  return { select: sql`select ${list} from ${from}${join(rows.source.joins, '')}${tail}`, value };
}

function membersOf(fields: readonly FieldPlan[], rows: Rows, printing: Printing): readonly Member[] {
  return fields.map((field) => member(field, rows, printing));
}

/** Prints `tConnection`, which always has one row. */
export function selectConnection(plan: ConnectionPlan, on: Condition, printing: Printing): ObjectSelect {
  return printConnection({ ...plan, rows: withSource(plan.rows, undefined, printing) }, on, printing, membersOf);
}

function member(field: FieldPlan, { source, few, whole }: Rows, printing: Printing): Member {
  const { alias } = field;
  const { row } = source;
  switch (field.kind) {
    case 'column':
      return { alias, value: output(columnAt(field, source, printing), field.column.type, printing.settings) };
    case 'computed': {
      const called = printCall(field.call, whole(), printing);
      const seen = masked(called, field.seen, source);
      return { alias, value: output(atPath(seen, field.path), field.type, printing.settings) };
    }
    case 'computedRows':
      return { alias, value: listOf(selectRows(withSource(field.rows, whole(), printing), ofRow, printing), printing) };
    case 'phantom': {
      const key = masked(keyOf(field.column, row, whole, printing), field.seen, source);
      return { alias, value: output(key, field.column.type, printing.settings) };
    }
    case 'constant':
      return { alias, value: constant(field.value) };
    case 'join':
      // Reserves the position of the joined value among the members.
      return { alias, value: sql`null::text` };
    case 'object': {
      const { relationship, rows } = field;
      const match = relationship.mapping.map(({ to }) => to);
      const one = joinedFrom(selectRow(rows, match, behind(relationship, row), printing, few), printing);
      source.joins.push(one.joined);
      return { alias, value: one.row };
    }
    case 'array':
      return { alias, value: listOf(selectRows(field.rows, behind(field.relationship, row), printing), printing) };
    case 'aggregate':
      return {
        alias,
        value: singleOf(selectAggregate(field.aggregate, behind(field.relationship, row), printing), printing),
      };
    case 'connection': {
      const select = selectConnection(field.connection, behind(field.relationship, row), printing);
      return { alias, value: singleOf(select, printing) };
    }
    case 'nodeId':
      return { alias, value: nodeId(field, row) };
    default:
      return field satisfies never;
  }
}

/** Of one row, however its rows hang on it. */
const ofRow: Condition = () => [];

/** The rows with their function call, if any, as the source. `of` is the row that the call is a field of. */
function withSource({ from, ...rows }: SourcedRows, of: Sql | undefined, printing: Printing): SourcedRows {
  return from === undefined ? rows : { ...rows, source: printSource(from, of, printing) };
}

function behind(relationship: Relationship, from: string): Condition {
  return (row) => matching(relationship, from, row);
}

/** Prints the key of a join. */
function keyOf({ name, computed }: Column, row: string, whole: Rows['whole'], printing: Printing): Sql {
  return computed === undefined ? ident(row, name) : printCall(bareCall(computed), whole(), printing);
}

/** Returns a column, or the value at a path of its JSON. */
function columnAt(
  { column, path, seen }: Extract<FieldPlan, { kind: 'column' }>,
  source: RowSource,
  printing: Printing,
): Sql {
  const whole = maskedColumn(source, column, seen, printing);
  return atPath(whole, path);
}

/** Returns the value at a path of JSON. */
function atPath(whole: Sql, path: Extract<FieldPlan, { kind: 'column' }>['path']): Sql {
  if (path === undefined) return whole;
  const elements =
    'variable' in path
      ? slot({ kind: 'variable', name: path.variable, encode: (given) => parseJsonPath(given ?? '$').map(String) })
      : value(path);
  return sql`${whole} #> ${cast(elements, textList)}`;
}

/**
 * Prints `t_aggregate`, which always has one row. Aggregates and nodes of a page have the same source rows; without a page
 * each reads the table by itself. The row limit of the role applies to nodes only.
 */
export function selectAggregate(plan: AggregatePlan, on: Condition, printing: Printing): ObjectSelect {
  const aggregate = { ...plan, rows: withSource(plan.rows, undefined, printing) };
  const { rows, parts } = aggregate;
  const aggregates = parts.some(hasFunction);
  // The function is called once.
  if (plan.rows.from !== undefined || (aggregates && isPaged(rows))) return selectPage(aggregate, on, printing);
  const row = printing.row();
  const nodes = (fields: readonly FieldPlan[]) => listOf(selectRows({ ...rows, fields }, on, printing), printing);
  const source = rowSource(row, printing);
  const { list, value } = rowObject(
    parts.map((part) => partMember(part, { source, whole: () => wholeRow(row) }, nodes, printing)),
  );
  if (!aggregates) return { select: sql`select ${list}`, value };
  const from = sql`${rowsAs(rows, row, printing)}${join(source.joins, '')}`;
  return { select: sql`select ${list} from ${from}${whereOf(rows, row, on, printing)}`, value };
}

function selectPage(
  aggregate: AggregatePlan & { readonly rows: SourcedRows },
  on: Condition,
  printing: Printing,
): ObjectSelect {
  const { rows, parts } = aggregate;
  const fields = parts.flatMap((part) => (part.kind === 'nodes' ? part.fields : []));
  const needs = needsOf(rows, fields, aggregateNeeds(aggregate));
  const base = printPage({ ...rows, rowLimit: undefined }, on, needs, printing);
  const [row, page] = [printing.row(), printing.row()];
  const listed = cutBehindLimit(rows, printing);
  const nodes = (wanted: readonly FieldPlan[]) => {
    const node = printing.row();
    const tail = sql`${orderBy(base.order(node))}${limitOf(listed.rows.rowLimit)}`;
    const rowsOfPage = { source: base.source(node), few: true, whole: () => rebuiltRow(rows.table, node) };
    const objects = selectObjects(wanted, rowsOfPage, sql`${ident(page)} as ${ident(node)}`, tail, printing);
    return listOf({ ...objects, maxRows: listed.maxRows }, printing);
  };
  const { list, value } = rowObject(
    parts.map((part) =>
      partMember(part, { source: base.source(row), whole: () => rebuiltRow(rows.table, row) }, nodes, printing),
    ),
  );
  // Without aggregate functions there is one row all the same.
  if (!parts.some(hasFunction)) {
    return { select: sql`with ${ident(page)} as (${base.select}) select ${list}`, value };
  }
  // Nodes without members need the number of rows only.
  if (!parts.some(({ kind }) => kind === 'nodes')) {
    return { select: sql`select ${list} from (${base.select}) as ${ident(row)}`, value };
  }
  const from = sql`${ident(page)} as ${ident(row)}`;
  return { select: sql`with ${ident(page)} as (${base.select}) select ${list} from ${from}`, value };
}

/** Whether the part calls an aggregate function: not if `__typename` alone is selected. */
function hasFunction(part: AggregatePart): boolean {
  if (part.kind !== 'aggregate') return false;
  return part.members.some(
    (one) => one.kind === 'count' || (one.kind === 'function' && one.members.some(({ kind }) => kind !== 'constant')),
  );
}

function partMember(
  part: AggregatePart,
  row: AggregatedRow,
  nodes: (fields: readonly FieldPlan[]) => Sql,
  printing: Printing,
): Member {
  switch (part.kind) {
    case 'constant':
      return { alias: part.alias, value: constant(part.value) };
    case 'aggregate':
      return { alias: part.alias, value: aggregatePart(part, row, printing) };
    case 'nodes':
      return { alias: part.alias, value: nodes(part.fields) };
    default:
      return part satisfies never;
  }
}
