/** Runs SQL of the user. All functions throw Failure. */
import type { CommandResponses } from '@joinery/metadata/api/responses';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';
import { bounded, SHOWN_ROWS } from './sql-text.ts';

export interface SqlRequest {
  readonly source: string;
  readonly sql: string;
  readonly readOnly: boolean;
  /** Removes dependent metadata objects instead of failing. */
  readonly cascade: boolean;
  /** Undefined derives it from the SQL. */
  readonly check: boolean | undefined;
}

export interface SqlResult {
  /** Undefined for a command without rows. */
  readonly rows: { readonly columns: readonly string[]; readonly values: readonly (readonly string[])[] } | undefined;
  /** Whether there are more rows. */
  readonly more: boolean;
  /** Names of the metadata objects that `cascade` removed. */
  readonly dropped: readonly string[];
}

/** Runs SQL in a transaction. `signal` cancels and rolls back. */
export async function runSql(client: Client, request: SqlRequest, signal?: AbortSignal): Promise<Timed<SqlResult>> {
  const { source, sql, readOnly, cascade, check } = request;
  const args = {
    source,
    sql: bounded(sql).sql,
    read_only: readOnly,
    cascade,
    ...(check !== undefined && { check_metadata_consistency: check }),
  };
  const { value, durationMs } = await timed(client.command('run_sql', args, { signal, api: '/v2/query' }));
  return { value: readResult(value), durationMs };
}

export function readResult({ result_type, result, dropped: objects = [] }: CommandResponses['run_sql']): SqlResult {
  const dropped = objects.map(({ name }) => name);
  if (result_type === 'CommandOk' || result === null) return { rows: undefined, more: false, dropped };
  const [columns = [], ...values] = result;
  return { rows: { columns, values: values.slice(0, SHOWN_ROWS) }, more: values.length > SHOWN_ROWS, dropped };
}
