/** Database roots -> one statement; a join to a table -> one statement for all its keys. */
import { arrayOf } from '../model/column-types.ts';
import type { JoinTarget, RootPlan } from '../plan/plan.ts';
import { cast, ident, join, type Sql, slot, sql } from '../postgres/sql.ts';
import { wholeRow } from './call.ts';
import { type Printing, type PrintSettings, startPrinting } from './printing.ts';
import { joinedFrom, listOf, selectAggregate, selectRow, selectRows, singleOf } from './select.ts';

export type DatabaseRoot = Extract<RootPlan, { kind: 'rows' | 'aggregate' }>;
export type TableTarget = Extract<JoinTarget, { kind: 'table' }>;

/** One row; for each root, in order, one column with the JSON text of its value. A row that is not there is null. */
export function printRoots(roots: readonly DatabaseRoot[], settings: PrintSettings): Sql {
  const printing = startPrinting(settings);
  return sql`select ${join(
    roots.map((root) => printRoot(root, printing)),
    ', ',
  )}`;
}

/** The JSON of one root. */
export function printRoot(root: DatabaseRoot, printing: Printing): Sql {
  if (root.kind === 'aggregate')
    return asJson(singleOf(selectAggregate(root.aggregate, undefined, printing), printing));
  const { rows } = root;
  if (root.shape === 'list') return asJsonList(listOf(selectRows(rows, undefined, printing), printing));
  // A function that returns no row returns one of nulls.
  const on = rows.from && ((row: string) => [sql`not ((${wholeRow(row)}) is null)`]);
  return asJson(singleOf(selectRow(rows, rows.table.primaryKey ?? [], on, printing), printing));
}

function asJson(row: Sql): Sql {
  return sql`to_json(${row})`;
}

/** An `array(...)` of rows as one JSON list. */
export function asJsonList(rows: Sql): Sql {
  return sql`array_to_json(${rows})`;
}

/**
 * The rows that match the keys in the input slots `keys0`, `keys1`, ... (arrays of text forms, one for each column of
 * `match`): for each key its position from 1 and the JSON text of its object (null without a match), list or aggregate.
 */
export function printJoin(target: TableTarget, settings: PrintSettings): Sql {
  const printing = startPrinting(settings);
  const keys = printing.row();
  const { match, want } = target;
  const parts = match.map((column, index) => cast(slot({ kind: 'input', name: `keys${index}` }), arrayOf(column.type)));
  const names = [...match.map((_, index) => ident(`key${index}`)), ident('position')];
  const unnested = sql`unnest(${join(parts, ', ')}) with ordinality as ${ident(keys)} (${join(names, ', ')})`;
  const on = (row: string) =>
    match.map((column, index) => sql`${ident(row, column.name)} = ${ident(keys, `key${index}`)}`);
  const position = ident(keys, 'position');
  if (want.shape === 'object') {
    const { joined, row } = joinedFrom(selectRow(want.rows, match, on, printing), printing);
    return sql`select ${position}, ${asJson(row)} from ${unnested}${joined}`;
  }
  const value =
    want.shape === 'aggregate'
      ? asJson(singleOf(selectAggregate(want.aggregate, on, printing), printing))
      : asJsonList(listOf(selectRows(want.rows, on, printing), printing));
  return sql`select ${position}, ${value} from ${unnested}`;
}
