/** The right-hand side of a comparison: constants, variables, session variables and other columns. */
import { arrayOf } from '../model/predicate/column-types.ts';
import { encode, encodeSession } from '../model/predicate/encode.ts';
import type { ColumnType } from '../model/types/column-type.ts';
import type { Operand, Relationship } from '../model/types/table.ts';
import { cast, ident, join, type Sql, slot, sql, value } from '../postgres/sql/sql.ts';
import { matching, type Printing, tableAs, whereAll } from './printing.ts';

/** The rows that a condition may speak of. */
export interface RowScope {
  /** The row that is tested. */
  readonly row: string;
  /** The row that the whole row rule is about; `["$", "column"]` in metadata. */
  readonly root: string;
}

/** `operand` as a value of `type`. */
export function printOperand(operand: Operand, type: ColumnType, scope: RowScope, printing: Printing): Sql {
  switch (operand.kind) {
    case 'constant':
      // In the text, where partial indexes on a flag can be found by it.
      if (typeof operand.value === 'boolean' && type.family === 'boolean')
        return operand.value ? sql`true` : sql`false`;
      return cast(value(encode(type, operand.value)), type);
    case 'variable':
      return cast(
        slot({ kind: 'variable', name: operand.name, encode: (given) => encode(type, given), shared: true }),
        type,
      );
    case 'session':
      return cast(slot({ kind: 'session', name: operand.name, encode: (text) => encodeSession(type, text) }), type);
    case 'column':
      return printColumn(scope[operand.of], operand, printing);
    case 'list': {
      const items = operand.items.map((item) => printOperand(item, operand.element, scope, printing));
      return cast(sql`array[${join(items, ', ')}]`, arrayOf(operand.element));
    }
    case 'members':
      return join(
        operand.of.map((member) => printOperand(member.operand, member.type, scope, printing)),
        ', ',
      );
    default:
      return operand satisfies never;
  }
}

/** A column of the row, or behind object relationships of it; null where one of them finds no row. */
function printColumn(row: string, operand: Extract<Operand, { kind: 'column' }>, printing: Printing): Sql {
  return printPath(row, operand.path, (last) => ident(last, operand.column.name), printing);
}

function printPath(row: string, path: readonly Relationship[], atEnd: (row: string) => Sql, printing: Printing): Sql {
  const [first, ...rest] = path;
  if (first === undefined) return atEnd(row);
  const next = printing.row();
  const found = printPath(next, rest, atEnd, printing);
  return sql`(select ${found} from ${tableAs(first.target, next)}${whereAll(matching(first, row, next))} limit 1)`;
}
