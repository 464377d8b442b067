/**
 * Inserts many rows into one table in one transaction, with the statements of `pg_insert`. A statement that fails is
 * divided until the rows that cannot be inserted are found; the others are still checked, and nothing is imported then.
 */
import type { ImportedRows, ImportRows, RowError } from '@joinery/metadata/api/sources/import-rows';
import { cancellationError } from '../../base/cancellation.ts';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { RawJson } from '../../base/json-value.ts';
import { yieldToEvents } from '../../base/steps.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { dataCommands } from '../commands/data/commands.ts';
import type { CommandContext, Outcome, Progress } from '../metadata/command-context.ts';

type Row = Readonly<Record<string, unknown>>;

export interface RowImport {
  readonly args: ImportRows;
  readonly rows: Iterable<Row>;
  /** Receives the number of rows that were processed, after each statement. */
  readonly onProgress: (processed: number) => void;
  /** Receives each row that cannot be inserted. */
  readonly onRowError: (error: RowError) => void;
}

/** Limits of one statement. */
const MAX_ROWS = 1_000;
const MAX_VALUES = 20_000;

/** Codes of errors that no other row of the request can avoid. */
const fatal: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'access-denied',
  'busy',
  'concurrent-update',
  'constraint-error',
  'not-exists',
  'rate-limit-exceeded',
  'time-limit-exceeded',
  'timeout',
  'unknown-outcome',
]);

/** Throws where any row cannot be inserted, with the path of the first one. */
export async function importRows(
  { args, rows, onProgress, onRowError }: RowImport,
  progress: Progress,
  context: CommandContext,
): Promise<Outcome<ImportedRows>> {
  const { source, table, on_conflict, max_errors } = args;
  const query = await context.unit.query(context.tools.sources.of(sourceNamed(args, progress)));
  const found: RowError[] = [];
  let processed = 0;
  let affected = 0;

  /** Inserts rows whose first one has the index `start`. Returns an error that rows cause. */
  async function insert(objects: readonly Row[], start: number): Promise<ServiceError | undefined> {
    if (context.signal?.aborted) throw cancellationError(context.signal);
    await step(query, 'savepoint joinery_import');
    try {
      const request = { type: 'pg_insert', args: { source, table, objects, on_conflict }, version: 1 as const };
      const { result } = await dataCommands.insert.run(request, progress, { ...context, alone: false });
      await step(query, 'release savepoint joinery_import');
      affected += affectedRows(result);
      return undefined;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status === 499 || fatal.has(error.code))
        throw withRow(error, start);
      if (!/^\$\.args(?:$|\.objects)/.test(error.path)) throw error;
      await step(query, 'rollback to savepoint joinery_import; release savepoint joinery_import');
      return error;
    }
  }

  /** Names the row of an error that is not about rows by its place in the request. */
  function withRow(error: unknown, start: number): unknown {
    if (!(error instanceof ServiceError)) return error;
    const { row, below } = placeOf(error.path);
    if (row === undefined) return error;
    const { code, message, status, internal } = error;
    return new ServiceError(code, message, { path: `$.rows[${start + row}]${below}`, status, internal });
  }

  async function insertAll(objects: readonly Row[], start: number): Promise<void> {
    if (found.length >= max_errors || objects.length === 0) return;
    const error = await insert(objects, start);
    if (error === undefined) return;
    const { row: known, below } = placeOf(error.path);
    const failed = known ?? (objects.length === 1 ? 0 : undefined);
    if (failed === undefined) {
      const middle = Math.ceil(objects.length / 2);
      await insertAll(objects.slice(0, middle), start);
      await insertAll(objects.slice(middle), start + middle);
      return;
    }
    // Values are read before the statement runs, so that the rows before this one were not inserted either.
    await insertAll(objects.slice(0, failed), start);
    if (found.length >= max_errors) return;
    const row = start + failed;
    const report = { row, path: `$.rows[${row}]${below}`, code: error.code, error: error.message };
    found.push(report);
    onRowError(report);
    await insertAll(objects.slice(failed + 1), row + 1);
  }

  for (const objects of batches(rows)) {
    await insertAll(objects, processed);
    if (found.length >= max_errors) break;
    processed += objects.length;
    onProgress(processed);
    await yieldToEvents();
  }
  if (context.signal?.aborted) throw cancellationError(context.signal);
  const [first] = found;
  if (first !== undefined) {
    const more = found.length === 1 ? '' : ` (and ${found.length - 1} more rows)`;
    const message = `nothing was imported: row ${first.row + 1}: ${first.error}${more}`;
    throw new ServiceError('data-exception', message, { path: first.path });
  }
  return { progress, result: { rows: processed, affected_rows: affected } };
}

function* batches(rows: Iterable<Row>): Generator<readonly Row[], undefined, undefined> {
  let batch: Row[] = [];
  let values = 0;
  for (const row of rows) {
    batch.push(row);
    values += Object.keys(row).length;
    if (batch.length < MAX_ROWS && values < MAX_VALUES) continue;
    yield batch;
    batch = [];
    values = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Reads the index of the row and the path in it from the path of an error of `pg_insert`. */
function placeOf(path: string): { readonly row: number | undefined; readonly below: string } {
  const [, row, below = ''] = /^\$\.args\.objects\[(\d+)\](.*)$/s.exec(path) ?? [];
  return { row: row === undefined ? undefined : Number(row), below };
}

function affectedRows(result: unknown): number {
  const text = result instanceof RawJson ? result.text : '{}';
  return (JSON.parse(text) as { readonly affected_rows?: number }).affected_rows ?? 0;
}

function sourceNamed({ source: name }: ImportRows, { state }: Progress) {
  const source = state.metadata.sources.find((one) => one.name === name);
  if (source !== undefined) return source;
  throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
}

async function step(query: Query, text: string): Promise<void> {
  await query({ text, values: [] });
}
