/** Runs SQL of the user. All functions throw Failure. */
import type { MigrationRequest } from '@joinery/metadata/api/project';
import type { CommandResponses } from '@joinery/metadata/api/responses';
import type { StatementResult } from '@joinery/metadata/api/sources/run-sql';
import type { Client } from '../../api/client.ts';
import { type Timed, timed } from '../../api/polling.ts';

export interface SqlRequest {
  readonly source: string;
  readonly sql: string;
  readonly readOnly: boolean;
  /** Removes dependent metadata objects instead of failing. */
  readonly cascade: boolean;
  /** Undefined derives it from the SQL. */
  readonly check: boolean | undefined;
  /** False for statements that cannot run in a transaction, such as `create index concurrently`. */
  readonly transaction?: boolean;
  /** In a project: the name of the migration and the SQL that undoes it, where the form knows them. */
  readonly migration?: MigrationRequest | undefined;
}

export interface SqlResult {
  /** One for each statement. */
  readonly statements: readonly StatementResult[];
  /** Names of the metadata objects that `cascade` removed. */
  readonly dropped: readonly string[];
}

/** Maximum number of rows of a result that are read. */
export const SHOWN_ROWS = 1_000;

/** Runs SQL in a transaction. `signal` cancels and rolls back. */
export async function runSql(client: Client, request: SqlRequest, signal?: AbortSignal): Promise<Timed<SqlResult>> {
  const { source, sql, readOnly, cascade, check, migration, transaction = true } = request;
  const args = {
    source,
    sql,
    read_only: readOnly,
    cascade,
    all_results: { max_rows: SHOWN_ROWS },
    ...(!transaction && { transaction }),
    ...(check !== undefined && { check_metadata_consistency: check }),
  };
  const { value, durationMs } = await timed(client.command('run_sql', args, { signal, api: '/v2/query', migration }));
  return { value: readResult(value), durationMs };
}

export function readResult({ results = [], dropped: objects = [] }: CommandResponses['run_sql']): SqlResult {
  return { statements: results, dropped: objects.map(({ name }) => name) };
}
