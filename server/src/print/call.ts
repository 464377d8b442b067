/** Calls of functions that make values and rows. */
import type { Table } from '../model/types/table.ts';
import type { CallArgument, FunctionCall } from '../plan/plan/query.ts';
import { allSessionVariables, cast, ident, join, quoteIdent, type Sql, slot, sql } from '../postgres/sql/sql.ts';
import { printOperand } from './operand.ts';
import { keyPart, type Printing } from './printing.ts';

/** `"public"."search"($1::text, "limit" => $2::int4)`. `row` is the row that the call is a field of. */
export function printCall(call: FunctionCall, row: Sql | undefined, printing: Printing): Sql {
  const list = call.arguments.map((argument) => {
    const printed = printArgument(argument, row, printing);
    return argument.name === undefined ? printed : sql`${ident(argument.name)} => ${printed}`;
  });
  return sql`${ident(call.schema, call.name)}(${join(list, ', ')})`;
}

function printArgument({ value, type }: CallArgument, row: Sql | undefined, printing: Printing): Sql {
  switch (value.kind) {
    case 'row':
      if (row === undefined) throw new TypeError('a function of a row is called without one');
      return row;
    case 'key':
      return keyPart(printing, value.index);
    case 'allSessionVariables':
      return cast(slot({ kind: 'session', name: allSessionVariables }), type);
    default:
      return printOperand(value, type, { row: '', root: '' }, printing);
  }
}

/** A row of a table by its name in `from`, as one value. */
export function wholeRow(row: string): Sql {
  return sql`${ident(row)}.*`;
}

/** The same where the columns come from somewhere else than the table itself. All of them must be there. */
export function rebuiltRow(table: Table, row: string): Sql {
  const columns = [...table.columnsByName.keys()].map((name) => ident(row, name));
  const type = { sqlName: `${quoteIdent(table.schema)}.${quoteIdent(table.name)}` };
  return cast(sql`row(${join(columns, ', ')})`, type);
}
