/** Aggregates over rows: count, sum, avg and their kin, as members of one JSON object. */
import type { Column, Table } from '../model/table-model.ts';
import type { AggregateMember, AggregatePart, AggregatePlan } from '../plan/plan.ts';
import { cast, ident, join, literal, type Sql, slot, sql } from '../postgres/sql.ts';
import { jsonObject, type Member } from './object.ts';
import { seenColumn } from './predicate.ts';
import type { Printing } from './printing.ts';
import { output } from './values.ts';

const text = { sqlName: 'text' };
const boolean = { sqlName: 'bool' };

type Aggregate = Extract<AggregatePart, { kind: 'aggregate' }>;

/** One member of the `aggregate` object over the rows named `row`. */
export function aggregatePart(part: Aggregate, row: string, printing: Printing): Sql {
  return jsonObject(
    part.members.map((member) => ({ alias: member.alias, value: aggregateMember(member, row, printing) })),
  );
}

/** `'album'::text`, such as the value of `__typename`. */
export function constant(value: string): Sql {
  return cast(literal(value), text);
}

function aggregateMember(member: AggregateMember, row: string, printing: Printing): Sql {
  switch (member.kind) {
    case 'constant':
      return constant(member.value);
    case 'count':
      return count(member, row, printing);
    case 'function': {
      const call = ident(member.function);
      const members = member.members.map((one): Member => {
        if (one.kind === 'constant') return { alias: one.alias, value: constant(one.value) };
        const value = sql`${call}(${seenColumn(row, one.column, one.seen, printing)})`;
        return { alias: one.alias, value: output(value, one.column.type, printing.settings) };
      });
      return jsonObject(members);
    }
    default:
      return member satisfies never;
  }
}

/** Rows in which the column is not null; of several columns every row, or with `distinct` every different one. */
function count(member: Extract<AggregateMember, { kind: 'count' }>, row: string, printing: Printing): Sql {
  const { columns, cells, distinct } = member;
  if (columns.length === 0) return sql`count(*)`;
  const list = join(
    columns.map((column) => seenColumn(row, column, cells?.get(column), printing)),
    ', ',
  );
  const argument = columns.length === 1 ? list : sql`(${list})`;
  if (typeof distinct === 'boolean') return distinct ? sql`count(distinct ${argument})` : sql`count(${argument})`;
  const flag = slot({ kind: 'variable', name: distinct.variable, encode: (given) => given === true });
  return sql`case when ${cast(flag, boolean)} then count(distinct ${argument}) else count(${argument}) end`;
}

/** The columns that the aggregates of `aggregate` read. */
export function aggregatedColumns({ parts, rows }: AggregatePlan): Set<Column> {
  const columns = new Set<Column>();
  for (const part of parts) {
    if (part.kind !== 'aggregate') continue;
    for (const member of part.members) {
      if (member.kind === 'count') {
        for (const column of member.columns) {
          columns.add(column);
          if (member.cells?.has(column)) addAll(columns, rows.table);
        }
      }
      if (member.kind !== 'function') continue;
      for (const one of member.members) {
        if (one.kind !== 'column') continue;
        columns.add(one.column);
        if (one.seen !== undefined) addAll(columns, rows.table);
      }
    }
  }
  return columns;
}

/** The condition under which a role sees a column may be about any other. */
export function addAll(columns: Set<Column>, table: Table): void {
  for (const column of table.columnsByName.values()) columns.add(column);
}
