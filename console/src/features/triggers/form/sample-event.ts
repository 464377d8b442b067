/** A sample of the body that a webhook receives, built from a row of the table. Pure. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { parseExactly } from '../../../api/exact-json.ts';
import { isJsonObject } from '../../../api/json.ts';
import { tableOf } from './trigger-arguments.ts';
import { rowOperations, type TriggerDraft } from './trigger-draft.ts';

/** Rows to choose from. */
const SAMPLE_ROWS = 20;

/** Returns the SQL that reads rows as the capture prints them, the last ones by primary key first. */
export function sampleSql({ table, primary_key }: Pick<TableInfo, 'table' | 'primary_key'>): string {
  const order = (primary_key ?? []).map((column) => `r.${quoted(column)} desc`).join(', ');
  const from = `${quoted(table.schema)}.${quoted(table.name)}`;
  return `select row_to_json(r)::text from ${from} r${order === '' ? '' : ` order by ${order}`} limit ${SAMPLE_ROWS}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Names a row by its primary key, or by the beginning of its JSON. `row` is JSON text. */
export function nameOfSample(row: string, primaryKey: readonly string[] | null): string {
  const read = parseExactly(row);
  if (primaryKey === null || !isJsonObject(read)) return row.slice(0, 60);
  return primaryKey.map((column) => `${column} ${shown(read[column])}`).join(', ');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
}

export type SampleOperation = (typeof rowOperations)[number] | 'manual';

/** Returns the operations that the trigger has. */
export function sampleOperations(draft: TriggerDraft): readonly SampleOperation[] {
  return [...rowOperations.filter((name) => draft[name].enabled), ...(draft.manual ? (['manual'] as const) : [])];
}

/**
 * Returns the body as JSON text, in the format of the service. `row` is the JSON text of the row, which both sides of an
 * update have. `now` in milliseconds since 1970.
 */
export function sampleBody(
  draft: TriggerDraft,
  operation: SampleOperation,
  row: string,
  { prefix, now }: { readonly prefix: string; readonly now: number },
): string {
  const delivered = operation === 'manual' ? parseExactly(row) : project(parseExactly(row), draft[operation].payload);
  const { schema, name: table } = tableOf(draft);
  const event = {
    created_at: new Date(now).toISOString().slice(0, -1),
    delivery_info: { current_retry: 0, max_retries: Number(draft.retries) || 0 },
    event: {
      data: {
        new: operation === 'delete' ? null : delivered,
        old: operation === 'update' || operation === 'delete' ? delivered : null,
      },
      op: operation.toUpperCase(),
      session_variables: { [`${prefix}role`]: 'user', [`${prefix}user-id`]: '1' },
      trace_context: null,
    },
    id: '0190c5a2-0000-8000-8000-000000000001',
    table: { name: table, schema },
    trigger: { name: draft.name.trim() },
  };
  return JSON.stringify(draft.batched ? [event] : event, null, 2);
}

function project(row: unknown, columns: readonly string[]): unknown {
  if (columns.length === 0 || !isJsonObject(row)) return row;
  return Object.fromEntries(columns.flatMap((name) => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])));
}
