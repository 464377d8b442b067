/** Prints the statements that read database roots, or the rows of a join, for several requests at once. */
import type { RowsTarget } from '../../plan/plan/query.ts';
import {
  cast,
  compile,
  ident,
  join,
  ofUnknownLength,
  overValueRows,
  type Slot,
  type SlotColumn,
  type SqlTypeName,
  slot,
  sql,
} from '../../postgres/sql/sql.ts';
import { type PrintSettings, startPrinting } from '../printing.ts';
import { type DatabaseRoot, joinParts, printRoot } from '../roots.ts';
import { printValueRows } from './value-rows.ts';

/** The columns of a row are the JSON text of each root, then the position of the request from 1. */
export interface MergedStatement {
  readonly text: string;
  /** The source of the items of `$1`, `$2`, ... . */
  readonly slots: readonly Slot[];
  /** See `StatementReads`. */
  readonly isVolatile: boolean;
}

const textList = { sqlName: 'text[]' };
const row = 's';

/** Types with arrays that are separated by commas, and whose items are no arrays: their lists need no cast of each item. */
const simple: ReadonlySet<string> = new Set([
  ...[
    'bool',
    'int2',
    'int4',
    'int8',
    'float4',
    'float8',
    'numeric',
    'text',
    'uuid',
    'date',
    'timestamp',
    'timestamptz',
  ],
]);

/**
 * Prints the statement. Its parameters are lists with one item for each request, so that its text does not depend on the
 * number of requests. Each root is a subquery over the values of one request, as in the statement of that request alone.
 */
export function printMerged(roots: readonly DatabaseRoot[], settings: PrintSettings): MergedStatement {
  const printing = startPrinting(settings);
  const printed = join(
    roots.map((root) => printRoot(root, printing)),
    ', ',
  );
  const { statement, columns } = overValueRows(printed, row);
  const lists = columns.map(({ name, type }) => ({ name, type: listType(type) }));
  const typed = columns.map(({ name, type }) => ({ name, from: name, type: isSimple(type) ? undefined : type }));
  const all = sql`select ${statement}, ${ident(row, 'position')} from ${printValueRows(lists, typed, row)}`;
  return {
    text: compile(all).text,
    slots: columns.map((column) => column.slot),
    isVolatile: printing.reads.isVolatile,
  };
}

/** The statement of a join over the keys of several requests whose other values differ. */
export interface MergedJoin {
  readonly text: string;
  /** The slots of the statement of one request. */
  readonly single: readonly Slot[];
  /**
   * The source of `$1`, `$2`, ...: position `from` in `single`. `constant`: the value; `keys`: the keys of all requests;
   * `values`: a list with an item for each key.
   */
  readonly slots: readonly { readonly kind: 'constant' | 'keys' | 'values'; readonly from: number }[];
  /** See `StatementReads`. */
  readonly isVolatile: boolean;
}

/** Prints the statement of the join; each key has the values of its request beside it. */
export function printMergedJoin(target: RowsTarget, settings: PrintSettings): MergedJoin {
  const printing = startPrinting(settings);
  const { keys, columns, names, selected, joined } = joinParts(target, printing);
  const value = overValueRows(selected, keys, { constants: false });
  const rest = overValueRows(joined, keys, { constants: false, first: value.columns.length });
  const own = [...value.columns, ...rest.columns];
  const lists = own.map(({ name, type }) => cast(slot({ kind: 'input', name }), listType(type)));
  const all = join([...names, ...own.map(({ name }) => ident(name)), ident('position')], ', ');
  const parameters = join([...columns, ...lists].map(ofUnknownLength), ', ');
  const unnested = sql`unnest(${parameters}) with ordinality as ${ident(keys)} (${all})`;
  const typed = own.map(({ name, type }) =>
    isSimple(type) ? ident(name) : sql`${cast(ident(name), type)} as ${ident(name)}`,
  );
  // `offset 0` makes PostgreSQL cast once for each key instead of once for each use.
  const from = own.every(({ type }) => isSimple(type))
    ? unnested
    : sql`(select ${join([...names, ...typed, ident('position')], ', ')} from ${unnested} offset 0) as ${ident(keys)}`;
  const { text, slots } = compile(sql`select ${value.statement} from ${from}${rest.statement}`);
  const single = compile(sql`${selected}${join(columns, ', ')}${joined}`).slots;
  return { text, single, slots: slots.map((one) => sourceOf(one, own, single)), isVolatile: printing.reads.isVolatile };
}

function sourceOf(one: Slot, own: readonly SlotColumn[], single: readonly Slot[]): MergedJoin['slots'][number] {
  if (one.kind !== 'input') return { kind: 'constant', from: single.indexOf(one) };
  const column = own.find(({ name }) => name === one.name);
  if (column === undefined) return { kind: 'keys', from: single.indexOf(one) };
  return { kind: 'values', from: single.indexOf(column.slot) };
}

function isSimple({ sqlName }: SqlTypeName): boolean {
  return simple.has(sqlName);
}

function listType(type: SqlTypeName): SqlTypeName {
  return isSimple(type) ? { sqlName: `${type.sqlName}[]` } : textList;
}
