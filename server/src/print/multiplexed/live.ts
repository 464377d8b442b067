/**
 * Prints the multiplexed query of a subscription root: the parameters are lists with one item for each subscriber, and the
 * root runs laterally for each item with the values of that subscriber.
 */
import { operatorFor } from '../../model/predicate/operators-common.ts';
import type { StreamPlan } from '../../plan/plan/query.ts';
import {
  cast,
  compile,
  ident,
  overValueRows,
  type Slot,
  type SlotColumn,
  type Sql,
  slot,
  sql,
} from '../../postgres/sql/sql.ts';
import { listOf } from '../object-select.ts';
import { compared, type Printing, type PrintSettings, type StatementReads, startPrinting } from '../printing.ts';
import { asJsonList, type DatabaseRoot, printRoot } from '../roots.ts';
import { printPage } from '../row-source.ts';
import { selectRows } from '../select.ts';
import { printValueRows } from './value-rows.ts';

/** The roots that subscriptions support. */
export type LiveRoot = DatabaseRoot | { readonly kind: 'stream'; readonly alias: string; readonly stream: StreamPlan };

/**
 * A multiplexed query. Its rows are `position` (from 1), `result` and `mark`, for items with a new result only. `result` is
 * the JSON text of the root. `mark` is the item of `$1` for the next poll of that subscriber: the hash of the text of a
 * list, row or aggregate; the cursor after the last row of a stream.
 */
export interface LiveStatement {
  readonly text: string;
  /** The source of the items of `$2`, `$3`, ..., as text. */
  readonly slots: readonly Slot[];
  /**
   * The quoted names of the tables that it reads. Undefined if its result depends on more than their rows: on a function, on
   * the SQL of a native query, or on the current date, which a time with a time zone has the offset of.
   */
  readonly tables: readonly string[] | undefined;
  /** Whether it may run twice: reading has no effects. */
  readonly isRepeatable: boolean;
}

const text = { sqlName: 'text' };
const textList = { sqlName: 'text[]' };
const one = 's';
const known: Slot = { kind: 'input', name: 'known' };

export function printLive(root: LiveRoot, settings: PrintSettings): LiveStatement {
  const printing = startPrinting(settings);
  const { statement, columns } = overValueRows(
    root.kind === 'stream' ? stream(root.stream, printing) : live(root, printing),
    one,
  );
  const given = columns.filter((column) => column.slot !== known);
  const lists = ['known', ...given.map(({ name }) => name)].map((name) => ({ name, type: textList }));
  const typed = columns.map(({ name, slot: from, type }) => ({ name, from: from === known ? 'known' : name, type }));
  const subscribers = printValueRows(lists, [{ name: 'known', from: 'known' }, ...typed], one);
  const all = sql`select ${ident(one, 'position')}, r.result, r.mark from ${subscribers} cross join lateral (${statement}) as r`;
  return {
    text: compile(all).text,
    slots: given.map((column: SlotColumn) => column.slot),
    tables: tablesOf(printing.reads, columns),
    isRepeatable: !printing.reads.isVolatile,
  };
}

function tablesOf({ calls, tables }: StatementReads, columns: readonly SlotColumn[]): readonly string[] | undefined {
  const isTimed = columns.some(({ type }) => type.sqlName.startsWith('timetz'));
  return calls || isTimed ? undefined : [...tables];
}

/** Returns a row only where the hash differs from the previous one, so that nothing is transferred of unchanged results. */
function live(root: DatabaseRoot, printing: Printing): Sql {
  const json = cast(printRoot(root, printing), text);
  const value = sql`select coalesce(${json}, 'null') as json offset 0`;
  const hashed = sql`select v.json, encode(sha256(convert_to(v.json, 'UTF8')), 'base64') as mark from (${value}) as v offset 0`;
  return sql`select h.json as result, h.mark from (${hashed}) as h where h.mark is distinct from ${ident(one, 'known')}`;
}

function stream({ rows, column, direction }: StreamPlan, printing: Printing): Sql {
  const { type } = column;
  const operator = operatorFor(type, direction === 'asc' ? sql`>` : sql`<`);
  const behind = (row: string) => [
    sql`${compared(ident(row, column.name), type)} ${operator} ${cast(slot(known), type)}`,
  ];
  const list = asJsonList(listOf(selectRows(rows, behind, printing), printing));
  const batch = printPage({ ...rows, fields: [] }, behind, { columns: new Set([column]), seen: new Set() }, printing);
  const last = ident('p', column.name);
  const order = direction === 'asc' ? sql`desc` : sql`asc`;
  const mark = sql`select ${cast(last, text)} as mark from (${batch.select}) as p order by ${last} ${order} limit 1`;
  return sql`select ${cast(list, text)} as result, m.mark from (${mark}) as m`;
}
