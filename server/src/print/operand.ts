/** Prints operands of comparisons: constants, variables, session variables and columns. */
import { arrayOf } from '../model/predicate/column-types.ts';
import { encode, encodeSession } from '../model/predicate/encode.ts';
import type { ColumnType } from '../model/types/column-type.ts';
import type { Operand, Relationship } from '../model/types/table.ts';
import { cast, ident, join, type Sql, slot, sql, value } from '../postgres/sql/sql.ts';
import { compared, matching, type Printing, tableAs, whereAll } from './printing.ts';

/** The rows that a condition may refer to. */
export interface RowScope {
  /** The tested row. */
  readonly row: string;
  /** The row of the whole row rule; `["$", "column"]` in metadata. */
  readonly root: string;
}

/** Returns `operand` as a value of `type`. */
export function printOperand(operand: Operand, type: ColumnType, scope: RowScope, printing: Printing): Sql {
  switch (operand.kind) {
    case 'constant':
      // A constant in the text, so that partial indexes on a boolean column match.
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

/** Returns a column of the row or of its object relationships; null where a relationship has no row. */
function printColumn(row: string, operand: Extract<Operand, { kind: 'column' }>, printing: Printing): Sql {
  const { name, type } = operand.column;
  return printPath(row, operand.path, (last) => compared(ident(last, name), type), printing);
}

function printPath(row: string, path: readonly Relationship[], atEnd: (row: string) => Sql, printing: Printing): Sql {
  const [first, ...rest] = path;
  if (first === undefined) return atEnd(row);
  const next = printing.row();
  const found = printPath(next, rest, atEnd, printing);
  return sql`(select ${found} from ${tableAs(first.target, next, printing)}${whereAll(matching(first, row, next))} limit 1)`;
}
