/**
 * A root that is polled for many subscribers at once: one statement whose parameters are lists, one item for each of
 * them. It runs the root once for each item, beside the others, under that subscriber's own values.
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
import { type PrintSettings, startPrinting } from './printing.ts';
import { asJsonList, type DatabaseRoot, printRoot } from './roots.ts';
import { printBase } from './row-source.ts';
import { listOf, selectRows } from './select.ts';

/** What a subscription may be about. */
export type LiveRoot = DatabaseRoot | { readonly kind: 'stream'; readonly alias: string; readonly stream: StreamPlan };

/**
 * Its rows are `position` (from 1), `result` and `mark`. `result` is the JSON text of the root, null when there is
 * nothing new; `mark` is what `$1` has to hold for that subscriber the next time: of a list, a row or an aggregate the
 * hash of its text, of a stream the cursor behind its last row, null without rows.
 */
export interface LiveStatement {
  readonly text: string;
  /** For `$2`, `$3`, ...: where the items of each list come from, as text. */
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
  // Cast once for each subscriber, not once for each row that is compared: hence the fence `offset 0`.
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

/** The text goes out only where its hash is not the one that is known: what does not change costs no transfer. */
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
  const batch = printBase({ ...rows, fields: [] }, behind, { columns: new Set([column]), seen: new Set() }, printing);
  const last = ident('p', column.name);
  const order = direction === 'asc' ? sql`desc` : sql`asc`;
  const mark = sql`select ${cast(last, text)} as mark from (${batch.select}) as p order by ${last} ${order} limit 1`;
  return sql`select ${cast(list, text)} as result, m.mark from (${mark}) as m`;
}

function commas(parts: readonly Sql[]): Sql {
  return join(parts, ', ');
}
