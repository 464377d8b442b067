/** Prints `update ... set ... where ...` and `delete from ... where ...`. */
import type { Predicate, Table, UpdateAccess } from '../../model/types/table.ts';
import { type Change, changeType } from '../../plan/mutate/update.ts';
import { cast, ident, join, type Sql, slot, sql } from '../../postgres/sql/sql.ts';
import { printOperand } from '../operand.ts';
import { conditionsOn } from '../predicate.ts';
import { type Printing, tableAs, whereAll } from '../printing.ts';
import type { Changing } from './mutate.ts';

/** Prints an update. The values are the inputs `v0`, `v1`, .... There is at least one change or preset. */
export function printUpdate(
  table: Table,
  access: UpdateAccess,
  where: Predicate,
  changes: readonly Change[],
  printing: Printing,
): Changing {
  const row = printing.whole();
  const set = changes.flatMap((change, index) =>
    access.presets.has(change.column)
      ? []
      : [sql`${ident(change.column.name)} = ${printChange(change, `v${index}`, row)}`],
  );
  for (const [column, operand] of access.presets) {
    set.push(sql`${ident(column.name)} = ${printOperand(operand, column.type, { row, root: row }, printing)}`);
  }
  const rows = whereAll(conditionsOn(row, where, printing));
  return {
    table,
    row,
    text: sql`update ${tableAs(table, row, printing)} set ${join(set, ', ')}${rows}`,
    check: access.check,
    checkOfUpdated: undefined,
  };
}

/** Returns a key that is equal for changes with the same text. */
export function signatureOf(changes: readonly Change[]): string {
  return changes.map(({ column, operator }) => `${operator}${JSON.stringify(column.name)}`).join();
}

export function updateInputs(changes: readonly Change[]): Record<string, unknown> {
  return Object.fromEntries(changes.map(({ value }, index) => [`v${index}`, value]));
}

function printChange({ column, operator }: Change, name: string, row: string): Sql {
  const value = cast(slot({ kind: 'input', name }), changeType(operator, column));
  const old = ident(row, column.name);
  switch (operator) {
    case '_set':
      return value;
    case '_inc':
      return sql`${old} + ${value}`;
    case '_mul':
      return sql`${old} * ${value}`;
    case '_default':
      return sql`default`;
    case '_append':
      return sql`${old} || ${value}`;
    case '_prepend':
      return sql`${value} || ${old}`;
    case '_delete_key':
    case '_delete_elem':
      return sql`${old} - ${value}`;
    case '_delete_at_path':
      return sql`${old} #- ${value}`;
    default:
      return operator satisfies never;
  }
}

export function printDelete(table: Table, where: Predicate, printing: Printing): Changing {
  const row = printing.whole();
  const rows = whereAll(conditionsOn(row, where, printing));
  return {
    table,
    row,
    text: sql`delete from ${tableAs(table, row, printing)}${rows}`,
    check: undefined,
    checkOfUpdated: undefined,
  };
}
