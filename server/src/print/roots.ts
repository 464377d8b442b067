/** Prints database roots as one statement, and a join to a table as one statement for all keys. */
import { arrayOf, textType } from '../model/predicate/column-types.ts';
import { operatorFor } from '../model/predicate/operators-common.ts';
import type { ColumnType } from '../model/types/column-type.ts';
import type { RootPlan } from '../plan/plan/operation.ts';
import type { RowsPlan, RowsTarget } from '../plan/plan/query.ts';
import { cast, empty, ident, integer, join, ofUnknownLength, type Sql, slot, sql } from '../postgres/sql/sql.ts';
import { wholeRow } from './call.ts';
import { listOf, singleOf } from './object-select.ts';
import { conditionsOn } from './predicate.ts';
import { compared, type Printing, type PrintSettings, startPrinting } from './printing.ts';
import { joinedFrom, selectAggregate, selectConnection, selectRow, selectRows } from './select.ts';

/** A root that one statement of its source selects. */
export type DatabaseRoot = Extract<RootPlan, { kind: 'rows' | 'aggregate' | 'connection' }>;

const selected: ReadonlySet<RootPlan['kind']> = new Set(['rows', 'aggregate', 'connection']);

export function isDatabaseRoot(root: RootPlan): root is DatabaseRoot {
  return selected.has(root.kind);
}

/** The rows that the root reads. */
export function rowsOfRoot(root: DatabaseRoot): RowsPlan {
  if (root.kind === 'rows') return root.rows;
  return root.kind === 'aggregate' ? root.aggregate.rows : root.connection.rows;
}

/** Prints a statement with one row and one column for each root: the JSON text of its value, null for a missing row. */
export function printRoots(
  roots: readonly DatabaseRoot[],
  settings: PrintSettings,
  printing: Printing = startPrinting(settings),
): Sql {
  return sql`select ${join(
    roots.map((root) => printRoot(root, printing)),
    ', ',
  )}`;
}

/** Returns the JSON of one root. */
export function printRoot(root: DatabaseRoot, printing: Printing): Sql {
  if (root.kind === 'aggregate')
    return asJson(singleOf(selectAggregate(root.aggregate, undefined, printing), printing));
  if (root.kind === 'connection') {
    const { from } = root.connection.rows;
    // A function that returns one row returns a row of nulls without a result.
    const on = from && ((row: string) => [sql`not ((${wholeRow(row)}) is null)`]);
    return asJson(singleOf(selectConnection(root.connection, on, printing), printing));
  }
  const { rows } = root;
  if (root.shape === 'list') return asJsonList(listOf(selectRows(rows, undefined, printing), printing));
  // A function without a result returns a row of nulls.
  const on = rows.from && ((row: string) => [sql`not ((${wholeRow(row)}) is null)`]);
  return asJson(singleOf(selectRow(rows, rows.table.primaryKey ?? [], on, printing), printing));
}

function asJson(row: Sql): Sql {
  return sql`to_json(${row})`;
}

/** Converts an `array(...)` of rows to a JSON list. */
export function asJsonList(rows: Sql): Sql {
  return sql`array_to_json(${rows})`;
}

/** Separates the values of a join. JSON text does not contain the character: strings escape it. */
const SEPARATOR = '\u001e';

/**
 * Prints the statement of a join. The input slots `keys0`, `keys1`, ... are arrays of text forms, one array for each part of
 * the key; keys that are arrays or lists have the text form of arrays. Returns one value, which `joinedTexts` splits: a row
 * for each key would cost more than the JSON text of most objects.
 */
export function printJoin(
  target: RowsTarget,
  settings: PrintSettings,
  started: Printing = startPrinting(settings),
): Sql {
  const { keys, columns, names, selected, joined } = joinParts(target, started);
  const position = ident('position');
  const unnested = sql`unnest(${join(columns.map(ofUnknownLength), ', ')}) with ordinality as ${ident(keys)} (${join([...names, position], ', ')})`;
  return sql`select ${selected} from ${unnested}${joined}`;
}

/** The parts of the statement of a join. */
export interface JoinParts {
  /** The name of the rows of the keys. */
  readonly keys: string;
  /** The lists of the parts of the keys, and the names of their columns. */
  readonly columns: readonly Sql[];
  readonly names: readonly Sql[];
  /** The value, and what is joined to the keys for it. */
  readonly selected: Sql;
  readonly joined: Sql;
}

export function joinParts(target: RowsTarget, started: Printing): JoinParts {
  const keys = started.row();
  const parts = keyTypes(target).map((type, index) => keyPrinter(type, keys, index));
  const printing: Printing = { ...started, key: (index) => parts[index]?.typed ?? empty };
  const names = parts.map((_, index) => ident(`key${index}`));
  const columns = parts.map(({ column }) => column);
  const on = (row: string) => conditionsOf(target, row, parts, printing);
  const { want, match } = target;
  const position = ident(keys, 'position');
  if (want.shape === 'object') {
    const { joined, row } = joinedFrom(selectRow(want.rows, match, on, printing), printing);
    return { keys, columns, names, selected: inOrder(asJson(row), position), joined };
  }
  const value =
    want.shape === 'aggregate'
      ? asJson(singleOf(selectAggregate(want.aggregate, on, printing), printing))
      : asJsonList(listOf(selectRows(want.rows, on, printing), printing));
  return { keys, columns, names, selected: inOrder(value, position), joined: empty };
}

function inOrder(json: Sql, position: Sql): Sql {
  return sql`string_agg(coalesce(${json}::text, ''), chr(${integer(SEPARATOR.charCodeAt(0))}) order by ${position})`;
}

/**
 * Splits the value of a join's statement. Returns for each key, in order, the JSON text of its object (empty without a
 * match), list or aggregate.
 */
export function joinedTexts(joined: string): readonly string[] {
  return joined.split(SEPARATOR);
}

/** Divides the value of a join's statement into those of consecutive keys, whose numbers are `counts`. */
export function divideJoined(joined: string, counts: readonly number[]): readonly string[] {
  let end = -1;
  return counts.map((count) => {
    const start = end + 1;
    for (let left = count; left > 0; left -= 1) {
      const next = joined.indexOf(SEPARATOR, end + 1);
      end = next < 0 ? joined.length : next;
    }
    return joined.slice(start, end);
  });
}

/** Returns the type of each part of a key. A list of keys to objects was split before: each item is a key. */
export function keyTypes({ match, passed, list, want }: RowsTarget): readonly ColumnType[] {
  if (passed !== undefined) return passed;
  return match.map(({ type }, index) => (index === list && want.shape !== 'object' ? arrayOf(type) : type));
}

interface KeyPrinter {
  /** The values of the part of all keys, for unnest. */
  readonly column: Sql;
  /** The value of the part of one key. */
  readonly typed: Sql;
}

/** Unnest flattens nested arrays, so the inner arrays stay text until after it. */
function keyPrinter(type: ColumnType, keys: string, index: number): KeyPrinter {
  const given = slot({ kind: 'input', name: `keys${index}` });
  const key = ident(keys, `key${index}`);
  if (type.element === undefined) return { column: cast(given, arrayOf(type)), typed: key };
  return { column: cast(given, arrayOf(textType)), typed: cast(key, type) };
}

function conditionsOf(
  { match, cells, list, want }: RowsTarget,
  row: string,
  keys: readonly KeyPrinter[],
  printing: Printing,
): readonly Sql[] {
  const rows = want.shape === 'aggregate' ? want.aggregate.rows : want.rows;
  // A function without a result returns a row of nulls.
  if (rows.from !== undefined) return [sql`not ((${wholeRow(row)}) is null)`];
  return match.flatMap((column, index) => {
    const key = keys[index]?.typed ?? empty;
    const value = compared(ident(row, column.name), column.type);
    const one = index === list && want.shape !== 'object' ? sql`any(${key})` : key;
    const equal = sql`${value} ${operatorFor(column.type, sql`=`)} ${one}`;
    const seen = cells?.get(column);
    return seen === undefined ? [equal] : [equal, ...conditionsOn(row, seen, printing)];
  });
}
