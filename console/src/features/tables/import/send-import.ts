/** Sends an import and follows its progress. The service inserts all rows or none. */
import type { ImportedRows, ImportLine, RejectedImport } from '@joinery/metadata/api/sources/import-rows';
import type { Client } from '../../../api/client.ts';
import { Failure, rejectionOf } from '../../../api/failure.ts';
import { type LineError, MAX_ERRORS, type PreparedImport } from './prepare-import.ts';

/** Rows that the service could not insert. Nothing was imported. */
export class RejectedRows extends Error {
  readonly errors: readonly LineError[];

  constructor(errors: readonly LineError[]) {
    super('rows could not be inserted');
    this.errors = errors;
  }
}

/** Throws RejectedRows, and Failure: with the code `unknown-outcome` where the connection is lost after the rows were sent. */
export async function sendImport(
  client: Client,
  { body, lineOf }: PreparedImport,
  onProgress: (processed: number) => void,
  signal: AbortSignal,
): Promise<ImportedRows> {
  const headers = { accept: 'application/x-ndjson', 'content-type': 'application/x-ndjson' };
  const response = await client.open('/v1/import_rows', body, headers, signal);
  if (response.status !== 200) throw rejectionOf(response.status, await response.json().catch(() => undefined));
  let last: ImportLine | undefined;
  for await (const line of linesOf(response, signal)) {
    last = JSON.parse(line) as ImportLine;
    if ('processed' in last) onProgress(last.processed);
  }
  if (last === undefined || 'processed' in last) throw lost();
  if ('rows' in last) return last;
  throw rejected(last, lineOf);
}

async function* linesOf(response: Response, signal: AbortSignal): AsyncGenerator<string, undefined, undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read().catch((error: unknown) => {
      throw signal.aborted ? error : lost(error);
    })) ?? { done: true, value: undefined };
    if (done) return;
    const lines = (text + value).split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}

function rejected(body: RejectedImport, lineOf: (row: number) => number): Error {
  if (body.errors === undefined) {
    const row = /^\$\.rows\[(\d+)\]/.exec(body.path)?.[1];
    const place = row === undefined ? '' : `line ${lineOf(Number(row))}: `;
    return new Failure({ code: body.code, message: place + body.error, path: body.path });
  }
  const errors = body.errors.slice(0, MAX_ERRORS).map(({ row, path, error }): LineError => {
    const column = /^\$\.rows\[\d+\]\.(\w+)/.exec(path)?.[1] ?? /column "([^"]+)"/.exec(error)?.[1];
    return { line: lineOf(row), column, message: error };
  });
  return new RejectedRows(errors);
}

function lost(cause?: unknown): Failure {
  const message =
    'the connection was lost before the service reported the outcome: it has imported all rows or none; check the table before you import again';
  return new Failure({ code: 'unknown-outcome', message }, cause);
}
