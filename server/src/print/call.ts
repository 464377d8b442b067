/** Prints calls of functions and the SQL of native queries. */
import type { Table } from '../model/types/table.ts';
import type { CallArgument, FunctionCall, NativeCall } from '../plan/plan/query.ts';
import {
  allSessionVariables,
  cast,
  ident,
  join,
  quoteIdent,
  rawSql,
  type Sql,
  slot,
  sql,
} from '../postgres/sql/sql.ts';
import { printOperand } from './operand.ts';
import { keyPart, type Printing } from './printing.ts';

/** Returns `"public"."search"($1::text, "limit" => $2::int4)`. `row`: the row of which the call is a field. */
export function printCall(call: FunctionCall, row: Sql | undefined, printing: Printing): Sql {
  printing.reads.calls = true;
  if (call.isVolatile) printing.reads.isVolatile = true;
  const list = call.arguments.map((argument) => {
    const printed = printArgument(argument, row, printing);
    return argument.name === undefined ? printed : sql`${ident(argument.name)} => ${printed}`;
  });
  return sql`${ident(call.schema, call.name)}(${join(list, ', ')})`;
}

/** Returns what the rows are read from. `row`: the row of which the call is a field. */
export function printSource(from: FunctionCall | NativeCall, row: Sql | undefined, printing: Printing): Sql {
  if (from.kind !== 'native') return printCall(from, row, printing);
  printing.reads.calls = true;
  printing.reads.isVolatile = true;
  const parts = from.parts.map((part) => {
    if (typeof part === 'string') return rawSql(part);
    return sql`(${printOperand(part.value, part.type, { row: '', root: '' }, printing)})`;
  });
  // The line break ends a comment in the last line.
  return sql`(\n${join(parts, '')}\n)`;
}

function printArgument({ value, type }: CallArgument, row: Sql | undefined, printing: Printing): Sql {
  switch (value.kind) {
    case 'row':
      if (row === undefined) throw new TypeError('a computed field is printed without a row');
      return row;
    case 'key':
      return keyPart(printing, value.index);
    case 'allSessionVariables':
      return cast(slot({ kind: 'session', name: allSessionVariables }), type);
    default:
      return printOperand(value, type, { row: '', root: '' }, printing);
  }
}

/** Returns a row of a table, by its name in `from`, as one value. */
export function wholeRow(row: string): Sql {
  return sql`${ident(row)}.*`;
}

/** Returns a row value whose columns do not come from the table itself. All columns must be present. */
export function rebuiltRow(table: Table, row: string): Sql {
  const columns = [...table.columnsByName.keys()].map((name) => ident(row, name));
  const type = { sqlName: `${quoteIdent(table.schema)}.${quoteIdent(table.name)}` };
  return cast(sql`row(${join(columns, ', ')})`, type);
}
