/**
 * Prints the multiplexed query of a subscription root: the parameters are lists with one item for each subscriber, and the
 * root runs laterally for each item with the values of that subscriber.
 */
import type { StreamPlan } from '../plan/plan/query.ts';
import {
  cast,
  compile,
  ident,
  join,
  overValueRows,
  type Slot,
  type SlotColumn,
  type Sql,
  slot,
  sql,
} from '../postgres/sql/sql.ts';
import { listOf } from './object-select.ts';
import { type PrintSettings, startPrinting } from './printing.ts';
import { asJsonList, type DatabaseRoot, printRoot } from './roots.ts';
import { printPage } from './row-source.ts';
import { selectRows } from './select.ts';

/** The roots that subscriptions support. */
export type LiveRoot = DatabaseRoot | { readonly kind: 'stream'; readonly alias: string; readonly stream: StreamPlan };

/**
 * A multiplexed query. Its rows are `position` (from 1), `result` and `mark`. `result` is the JSON text of the root, null
 * when it has not changed. `mark` is the item of `$1` for the next poll of that subscriber: the hash of the text of a list,
 * row or aggregate; the cursor after the last row of a stream, null without rows.
 */
export interface LiveStatement {
  readonly text: string;
  /** The source of the items of `$2`, `$3`, ..., as text. */
  readonly slots: readonly Slot[];
}

const text = { sqlName: 'text' };
const textList = { sqlName: 'text[]' };
const one = 's';
const known: Slot = { kind: 'input', name: 'known' };

export function printLive(root: LiveRoot, settings: PrintSettings): LiveStatement {
  const { statement, columns } = overValueRows(
    root.kind === 'stream' ? stream(root.stream, settings) : live(root, settings),
    one,
  );
  const given = columns.filter((column) => column.slot !== known);
  const lists = [known, ...given.map((_, index): Slot => ({ kind: 'input', name: `list${index}` }))];
  const names = ['known', ...given.map(({ name }) => name), 'position'];
  const unnested = sql`unnest(${commas(lists.map((list) => cast(slot(list), textList)))}) with ordinality`;
  // `offset 0` makes PostgreSQL cast once for each subscriber instead of once for each compared row.
  const typed = commas([
    sql`b.position`,
    sql`b.known`,
    ...columns.map(({ name, slot: from, type }) => {
      return sql`${cast(ident('b', from === known ? 'known' : name), type)} as ${ident(name)}`;
    }),
  ]);
  const subscribers = sql`(select ${typed} from ${unnested} as b (${commas(names.map((name) => ident(name)))}) offset 0)`;
  const all = sql`select ${ident(one, 'position')}, r.result, r.mark from ${subscribers} as ${ident(one)} cross join lateral (${statement}) as r`;
  return { text: compile(all).text, slots: given.map((column: SlotColumn) => column.slot) };
}

/** Returns the text only where its hash differs from the previous one, so that unchanged results are not transferred. */
function live(root: DatabaseRoot, settings: PrintSettings): Sql {
  const json = cast(printRoot(root, startPrinting(settings)), text);
  const value = sql`select coalesce(${json}, 'null') as json offset 0`;
  const hashed = sql`select v.json, encode(sha256(convert_to(v.json, 'UTF8')), 'base64') as mark from (${value}) as v offset 0`;
  const result = sql`case when h.mark is distinct from ${ident(one, 'known')} then h.json end`;
  return sql`select ${result} as result, h.mark from (${hashed}) as h`;
}

function stream({ rows, column, direction }: StreamPlan, settings: PrintSettings): Sql {
  const printing = startPrinting(settings);
  const operator = direction === 'asc' ? sql`>` : sql`<`;
  const behind = (row: string) => [sql`${ident(row, column.name)} ${operator} ${cast(slot(known), column.type)}`];
  const list = asJsonList(listOf(selectRows(rows, behind, printing), printing));
  const batch = printPage({ ...rows, fields: [] }, behind, { columns: new Set([column]), seen: new Set() }, printing);
  const last = ident('p', column.name);
  const order = direction === 'asc' ? sql`desc` : sql`asc`;
  const mark = sql`select ${cast(last, text)} as mark from (${batch.select}) as p order by ${last} ${order} limit 1`;
  return sql`select ${cast(list, text)} as result, m.mark from (${mark}) as m`;
}

function commas(parts: readonly Sql[]): Sql {
  return join(parts, ', ');
}
