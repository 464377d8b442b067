/** Cells that a role sees in some rows only. The condition is printed once for each row and used by name. */
import type { Column, Predicate } from '../model/types/table.ts';
import { bareCall } from '../plan/select/function-call.ts';
import { ident, join, type Sql, sql } from '../postgres/sql/sql.ts';
import { printCall, wholeRow } from './call.ts';
import { conditionsOn } from './predicate.ts';
import type { Printing } from './printing.ts';

/** A row of a `from` list with the joins that its values need. */
export interface RowSource {
  readonly row: string;
  /** Joins after the table of the row. Printing a value of the row may add to them. */
  readonly joins: Sql[];
  /** Returns the flag whether the role sees cells with this condition. Equal conditions share a flag. */
  readonly seen: (condition: Predicate) => Sql;
}

/**
 * Returns the row named `row`, whose flags come from a lateral join. PostgreSQL recognizes two uses of a name as equal, but
 * not two copies of a condition with parameters, and `distinct on` and `order by` must match.
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

/** Returns the value, or null where the role does not see it. */
export function masked(value: Sql, condition: Predicate | undefined, { seen }: RowSource): Sql {
  return condition === undefined ? value : sql`case when ${seen(condition)} then ${value} end`;
}

/** Returns the column of the row, or null where the role does not see it. */
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
