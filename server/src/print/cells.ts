/** Cells that a role sees in part of its rows: the condition is printed once for each row source and used by name. */
import type { Column, Predicate } from '../model/types/table.ts';
import { bareCall } from '../plan/select/function-call.ts';
import { ident, join, type Sql, sql } from '../postgres/sql/sql.ts';
import { printCall, wholeRow } from './call.ts';
import { conditionsOn } from './predicate.ts';
import type { Printing } from './printing.ts';

/** A row of a `from` list, and the joins that what is made of it needs there. */
export interface RowSource {
  readonly row: string;
  /** They stand behind the table of the row. Whoever prints parts of the row adds to them. */
  readonly joins: Sql[];
  /** The flag whether the role sees the cells with that condition. Equal conditions have the same name. */
  readonly seen: (condition: Predicate) => Sql;
}

/**
 * The row named `row`, whose flags are joined from the side. PostgreSQL takes two mentions of a name for the same value,
 * which it does not for two copies of a condition with parameters: `distinct on` and `order by` have to agree.
 */
export function rowSource(row: string, printing: Printing): RowSource {
  const joins: Sql[] = [];
  const known = new Map<Predicate, Sql>();
  return {
    row,
    joins,
    seen: (condition) => {
      const found = known.get(condition);
      if (found !== undefined) return found;
      const conditions = conditionsOn(row, condition, printing);
      const flags = printing.row();
      const all = conditions.length === 0 ? sql`true` : join(conditions, ' and ');
      joins.push(sql` cross join lateral (select ${all} as "seen") as ${ident(flags)}`);
      const flag = ident(flags, 'seen');
      known.set(condition, flag);
      return flag;
    },
  };
}

/** The value where the role sees it, else null; everywhere without a condition. */
export function masked(value: Sql, condition: Predicate | undefined, { seen }: RowSource): Sql {
  return condition === undefined ? value : sql`case when ${seen(condition)} then ${value} end`;
}

/** The column of the row, or null where the role does not see it. */
export function maskedColumn(
  source: RowSource,
  column: Column,
  condition: Predicate | undefined,
  printing: Printing,
): Sql {
  const { row } = source;
  const whole =
    column.computed === undefined
      ? ident(row, column.name)
      : printCall(bareCall(column.computed), wholeRow(row), printing);
  return masked(whole, condition, source);
}
