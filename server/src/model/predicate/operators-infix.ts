/** Infix operators and functions in SQL, found also where an extension's schema is off the search path. */
import { ident, type Sql, sql } from '../../postgres/sql/sql.ts';
import type { ColumnType } from '../types/column-type.ts';

type Print = (left: Sql, right: Sql, type: ColumnType) => Sql;

/** `symbol` for operands whose left one has the type; a keyword such as `like` must come with its own `symbol`. */
export function operatorFor(type: ColumnType, symbol: Sql, keyword: Sql = symbol): Sql {
  return type.extensionSchema === undefined ? keyword : sql`operator(${ident(type.extensionSchema)}.${symbol})`;
}

/** `left symbol right`. */
export function infix(symbol: Sql, keyword?: Sql): Print {
  return (left, right, type) => sql`${left} ${operatorFor(type, symbol, keyword)} ${right}`;
}

/** `name(left, right)`, a function of the extension that brought the type. */
export function call(name: string): Print {
  return (left, right, { extensionSchema }) => {
    const function_ = extensionSchema === undefined ? ident(name) : ident(extensionSchema, name);
    return sql`${function_}(${left}, ${right})`;
  };
}
