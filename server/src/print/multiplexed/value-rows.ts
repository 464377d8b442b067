/** Prints the rows of values over which one statement runs for several subscribers or requests. */
import {
  cast,
  ident,
  join,
  ofUnknownLength,
  type Slot,
  type Sql,
  type SqlTypeName,
  slot,
  sql,
} from '../../postgres/sql/sql.ts';

/** A parameter with one item for each row. */
export interface ValueList {
  readonly name: string;
  /** The array type of the parameter. */
  readonly type: SqlTypeName;
}

/** A column of the rows. */
export interface ValueColumn {
  readonly name: string;
  /** The name of its list. */
  readonly from: string;
  /** The type to which the items are cast; undefined where the list has the type already. */
  readonly type?: SqlTypeName | undefined;
}

/**
 * Prints `(select ...) as "row"`: one row for each item of the lists, with `position` from 1 and the columns. The lists are
 * parameters in their order. `offset 0` makes PostgreSQL cast once for each row instead of once for each use.
 */
export function printValueRows(lists: readonly ValueList[], columns: readonly ValueColumn[], row: string): Sql {
  const parameters = lists.map(({ name, type }) => ofUnknownLength(cast(slot(listSlot(name)), type)));
  const names = [...lists.map(({ name }) => ident(name)), ident('position')];
  const typed = columns.map(({ name, from, type }) => {
    const item = ident('b', from);
    return sql`${type === undefined ? item : cast(item, type)} as ${ident(name)}`;
  });
  const unnested = sql`unnest(${commas(parameters)}) with ordinality as b (${commas(names)})`;
  return sql`(select ${commas([sql`b.position`, ...typed])} from ${unnested} offset 0) as ${ident(row)}`;
}

function listSlot(name: string): Slot {
  return { kind: 'input', name };
}

function commas(parts: readonly Sql[]): Sql {
  return join(parts, ', ');
}
