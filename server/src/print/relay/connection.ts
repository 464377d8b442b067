/** Prints `tConnection`: one page of rows, sorted by a total order, with its cursors and whether there are rows around it. */
import type { ConnectionPart, ConnectionPlan, EdgeMember, FieldPlan, PageInfoMember } from '../../plan/plan/query.ts';
import { empty, ident, integer, join, type Sql, sql } from '../../postgres/sql/sql.ts';
import { constant } from '../aggregate.ts';
import { rebuiltRow } from '../call.ts';
import { jsonObject, type Member, rowObject } from '../object.ts';
import { listOf, type ObjectSelect, type Rows } from '../object-select.ts';
import { type OrderedBy, orderBy } from '../order.ts';
import type { Printing, SourcedRows } from '../printing.ts';
import { type Condition, count, needsOf, type PrintedPage, printPage } from '../row-source.ts';
import { boundConditions } from './bound.ts';
import { cursorOf } from './json-values.ts';

/** Prints the members of rows. */
type PrintMembers = (fields: readonly FieldPlan[], rows: Rows, printing: Printing) => readonly Member[];

interface SourcedConnection extends ConnectionPlan {
  readonly rows: SourcedRows;
}

/** The rows of the page, numbered from 1 in the order in which they are read: from its end for `last`. */
interface NumberedPage {
  readonly plan: SourcedConnection;
  /** The name of the rows: those of the page, and one more if there is one. */
  readonly name: string;
  /** The column with the number. */
  readonly number: string;
  /** The most rows of the page. */
  readonly size: Sql | undefined;
  readonly base: PrintedPage;
  /** The name of all rows, where they are read once. */
  readonly all: string | undefined;
  /** Limits the number of edges; more are an error. */
  readonly maxRows: number | undefined;
  /** Returns all rows, outside of the bound as well, without members. */
  readonly allRows: () => AllRows;
}

interface AllRows {
  readonly from: Sql;
  /** The keys that they are sorted by. */
  readonly keys: readonly OrderedBy[];
}

/** Returns a select with one row, the connection. */
export function printConnection(
  plan: SourcedConnection,
  on: Condition,
  printing: Printing,
  printMembers: PrintMembers,
): ObjectSelect {
  const { rows, bound, cursor } = plan;
  const backward = plan.page?.end === 'last';
  const { size, maxRows } = sizeOf(plan, printing);
  const fields = plan.parts.flatMap((part) => (part.kind === 'edges' ? part.members.flatMap(nodeFields) : []));
  // Rows of `distinct on` depend on the order. Functions are called once.
  const sorted = rows.distinctOn.length > 0;
  const shared = bound !== undefined && (sorted || rows.source !== undefined) && looksAround(plan);
  const unlimited = { ...rows, rowLimit: undefined };
  const base = printPage(unlimited, on, needsOf(rows, fields), printing, sorted ? 'sorted' : 'unsorted');
  const all = shared ? printing.row() : undefined;
  const from = (select: Sql, row: string) => sql`${all === undefined ? sql`(${select})` : ident(all)} as ${ident(row)}`;

  const row = printing.row();
  const keys = base.order(row);
  const within = bound && boundConditions(bound, cursor, keys).within;
  const where = within === undefined ? empty : sql` where ${within}`;
  const order = orderBy(backward ? keys.map(reversed) : keys);
  const limit = size === undefined ? empty : sql` limit ${size} + 1`;
  const [name, number, read] = [printing.row(), printing.whole(), printing.row()];
  const cut = sql`select ${ident(row)}.* from ${from(base.select, row)}${where}${order}${limit}`;
  const numbered = sql`select ${ident(read)}.*, row_number() over () as ${ident(number)} from (${cut}) as ${ident(read)}`;

  const page: NumberedPage = {
    plan,
    name,
    number,
    size,
    base,
    all,
    maxRows,
    allRows: () => {
      const outer = printing.row();
      const none = { columns: new Set<never>(), seen: new Set<never>() };
      const other = all === undefined ? printPage(unlimited, on, none, printing, 'unsorted') : base;
      return { from: from(other.select, outer), keys: other.order(outer) };
    },
  };
  const { list, value } = rowObject(plan.parts.map((part) => printPart(part, page, printing, printMembers)));
  const before = all === undefined ? empty : sql`${ident(all)} as (${base.select}), `;
  return { select: sql`with ${before}${ident(name)} as (${numbered}) select ${list}`, value };
}

function nodeFields(member: EdgeMember): readonly FieldPlan[] {
  return member.kind === 'node' ? member.fields : [];
}

function looksAround({ parts }: ConnectionPlan): boolean {
  return parts.some(
    (part) =>
      part.kind === 'pageInfo' && part.members.some(({ kind }) => kind === 'hasNextPage' || kind === 'hasPreviousPage'),
  );
}

function reversed(key: OrderedBy): OrderedBy {
  const { direction, nulls } = key.term;
  return {
    ...key,
    term: { direction: direction === 'asc' ? 'desc' : 'asc', nulls: nulls === 'first' ? 'last' : 'first' },
  };
}

/** The most rows of a page: as many as requested, and not more than the role may list. */
function sizeOf(
  { page, rows: { rowLimit }, parts }: ConnectionPlan,
  { settings }: Printing,
): { readonly size: Sql | undefined; readonly maxRows: number | undefined } {
  const requested = page?.size.kind === 'constant' ? page.size.value : Number.POSITIVE_INFINITY;
  const constantSize = Math.min(requested, rowLimit ?? Number.POSITIVE_INFINITY);
  const exceeds = settings.maxRows !== undefined && constantSize > settings.maxRows;
  const maxRows = exceeds && parts.some(({ kind }) => kind === 'edges') ? settings.maxRows : undefined;
  // One row beyond the limit shows that there are too many.
  const most = Math.min(constantSize, maxRows === undefined ? Number.POSITIVE_INFINITY : maxRows + 1);
  const fixed = Number.isFinite(most) ? integer(most) : undefined;
  if (page?.size.kind !== 'variable') return { size: fixed, maxRows };
  const variable = count(page.size);
  return { size: fixed === undefined ? variable : sql`least(${variable}, ${fixed})`, maxRows };
}

function printPart(part: ConnectionPart, page: NumberedPage, printing: Printing, printMembers: PrintMembers): Member {
  const { alias } = part;
  switch (part.kind) {
    case 'constant':
      return { alias, value: constant(part.value) };
    case 'pageInfo':
      return { alias, value: jsonObject(part.members.map((member) => pageInfoMember(member, page, printing))) };
    case 'edges':
      return { alias, value: edges(part.members, page, printing, printMembers) };
    default:
      return part satisfies never;
  }
}

function edges(
  members: readonly EdgeMember[],
  { plan, name, number, size, base, maxRows }: NumberedPage,
  printing: Printing,
  printMembers: PrintMembers,
): Sql {
  const row = printing.row();
  const source = base.source(row);
  const nodes: Sql[] = [];
  const printed = members.map((member): Member => {
    const { alias } = member;
    if (member.kind === 'constant') return { alias, value: constant(member.value) };
    if (member.kind === 'cursor') return { alias, value: cursorAt(plan, base, row) };
    const whole = () => rebuiltRow(plan.rows.table, row);
    const node = printing.whole();
    const object = rowObject(printMembers(member.fields, { source, few: size !== undefined, whole }, printing));
    nodes.push(sql` cross join lateral (select ${object.list}) as ${ident(node)}`);
    return { alias, value: object.value(node) };
  });
  const { list, value } = rowObject(printed);
  const where = size === undefined ? empty : sql` where ${ident(row, number)} <= ${size}`;
  const order = sql` order by ${ident(row, number)}${plan.page?.end === 'last' ? sql` desc` : empty}`;
  const from = sql`${ident(name)} as ${ident(row)}${join([...source.joins, ...nodes], '')}`;
  return listOf({ select: sql`select ${list} from ${from}${where}${order}`, value, maxRows }, printing);
}

function cursorAt({ cursor }: ConnectionPlan, base: PrintedPage, row: string): Sql {
  return cursorOf(
    cursor,
    base.order(row).map(({ by }) => by),
  );
}

function pageInfoMember(member: PageInfoMember, page: NumberedPage, printing: Printing): Member {
  const { alias, kind } = member;
  const backward = page.plan.page?.end === 'last';
  switch (kind) {
    case 'constant':
      return { alias, value: constant(member.value) };
    case 'startCursor':
      return { alias, value: cursorAtEnd(page, backward, printing) };
    case 'endCursor':
      return { alias, value: cursorAtEnd(page, !backward, printing) };
    case 'hasNextPage':
      return { alias, value: hasRowsBeyond(page, !backward, 'before', printing) };
    case 'hasPreviousPage':
      return { alias, value: hasRowsBeyond(page, backward, 'after', printing) };
    default:
      return kind satisfies never;
  }
}

/** The cursor of the row that was read first or last; empty without rows, as in Hasura v2. */
function cursorAtEnd({ plan, name, number, size, base }: NumberedPage, last: boolean, printing: Printing): Sql {
  const row = printing.row();
  const where = size === undefined ? empty : sql` where ${ident(row, number)} <= ${size}`;
  const order = sql` order by ${ident(row, number)}${last ? sql` desc` : empty} limit 1`;
  return sql`coalesce((select ${cursorAt(plan, base, row)} from ${ident(name)} as ${ident(row)}${where}${order}), '')`;
}

/**
 * Whether there are rows beyond one side of the page: where reading ended, the row after the page; where the cursor of
 * `side` bounds the page, the rows outside of the bound. An empty page has none around it, as in Hasura v2.
 */
function hasRowsBeyond(page: NumberedPage, atEnd: boolean, side: 'after' | 'before', printing: Printing): Sql {
  const { plan, name, number, size } = page;
  const found: Sql[] = [];
  if (atEnd && size !== undefined) {
    const row = printing.row();
    found.push(sql`exists (select from ${ident(name)} as ${ident(row)} where ${ident(row, number)} > ${size})`);
  }
  if (plan.bound?.side === side) {
    const { from, keys } = page.allRows();
    const { outside } = boundConditions(plan.bound, plan.cursor, keys);
    // If rows are outside of the bound, then the first of all rows is, or the last one.
    const order = orderBy(side === 'after' ? keys : keys.map(reversed));
    found.push(sql`coalesce((select ${outside} from ${from}${order} limit 1), false)`);
  }
  if (found.length === 0) return sql`false`;
  const row = printing.row();
  const some = size === undefined ? empty : sql` where ${ident(row, number)} <= ${size}`;
  return sql`(${join(found, ' or ')}) and exists (select from ${ident(name)} as ${ident(row)}${some})`;
}
