/** Prints aggregates over rows (count, sum, avg and others) as members of one JSON object. */
import type { Column, Predicate } from '../model/types/table.ts';
import type { AggregatedValue, AggregateMember, AggregatePart, AggregatePlan } from '../plan/plan/query.ts';
import { cast, join, literal, type Sql, slot, sql } from '../postgres/sql/sql.ts';
import { printCall } from './call.ts';
import { masked, maskedColumn, type RowSource } from './cells.ts';
import { jsonObject, type Member } from './object.ts';
import { compared, type Printing } from './printing.ts';
import type { Needs } from './row-source.ts';
import { aggregateCall, output } from './values.ts';

const text = { sqlName: 'text' };
const boolean = { sqlName: 'bool' };

/** A row, and how it is passed to a computed field. */
export interface AggregatedRow {
  readonly source: RowSource;
  readonly whole: () => Sql;
}

type Aggregate = Extract<AggregatePart, { kind: 'aggregate' }>;

/** Returns one member of the `aggregate` object over the rows `row`. */
export function aggregatePart(part: Aggregate, row: AggregatedRow, printing: Printing): Sql {
  return jsonObject(
    part.members.map((member) => ({ alias: member.alias, value: aggregateMember(member, row, printing) })),
  );
}

/** Returns `'album'::text`, such as for `__typename`. */
export function constant(value: string): Sql {
  return cast(literal(value), text);
}

function aggregateMember(member: AggregateMember, row: AggregatedRow, printing: Printing): Sql {
  switch (member.kind) {
    case 'constant':
      return constant(member.value);
    case 'count':
      return count(member, row.source, printing);
    case 'function': {
      const members = member.members.map((one): Member => {
        if (one.kind === 'constant') return { alias: one.alias, value: constant(one.value) };
        const type = one.kind === 'column' ? one.column.type : one.type;
        const value = aggregateCall(member.function, aggregatedValue(one, row, printing), type);
        return { alias: one.alias, value: output(value, type, printing.settings) };
      });
      return jsonObject(members);
    }
    default:
      return member satisfies never;
  }
}

function aggregatedValue(
  value: Exclude<AggregatedValue, { kind: 'constant' }>,
  { source, whole }: AggregatedRow,
  printing: Printing,
): Sql {
  if (value.kind === 'column') return maskedColumn(source, value.column, value.seen, printing);
  return masked(printCall(value.call, whole(), printing), value.seen, source);
}

/** Counts rows in which the column is not null; with several columns every row, or every distinct one with `distinct`. */
function count(member: Extract<AggregateMember, { kind: 'count' }>, row: RowSource, printing: Printing): Sql {
  const { columns, cells, distinct } = member;
  if (columns.length === 0) return sql`count(*)`;
  const list = join(
    columns.map((column) => {
      const value = maskedColumn(row, column, cells?.get(column), printing);
      return distinct === false ? value : compared(value, column.type);
    }),
    ', ',
  );
  const argument = columns.length === 1 ? list : sql`(${list})`;
  if (typeof distinct === 'boolean') return distinct ? sql`count(distinct ${argument})` : sql`count(${argument})`;
  const flag = slot({ kind: 'variable', name: distinct.variable, encode: (given) => given === true });
  return sql`case when ${cast(flag, boolean)} then count(distinct ${argument}) else count(${argument}) end`;
}

/** Returns the columns that the aggregates of `aggregate` read. */
export function aggregateNeeds({ rows, parts }: AggregatePlan): Needs {
  const columns = new Set<Column>();
  const seen = new Set<Predicate>();
  const add = (column: Column, condition: Predicate | undefined): void => {
    columns.add(column);
    if (condition !== undefined) seen.add(condition);
  };
  for (const part of parts) {
    if (part.kind !== 'aggregate') continue;
    for (const member of part.members) {
      if (member.kind === 'count') for (const column of member.columns) add(column, member.cells?.get(column));
      if (member.kind !== 'function') continue;
      for (const one of member.members) {
        if (one.kind === 'constant') continue;
        if (one.kind === 'column') add(one.column, one.seen);
        // A computed field may read any column.
        else for (const column of rows.table.columnsByName.values()) add(column, one.seen);
      }
    }
  }
  return { columns, seen };
}
