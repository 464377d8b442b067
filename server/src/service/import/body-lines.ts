/** The lines of a request body in newline-delimited JSON, parsed one at a time. */
import { ServiceError } from '../../base/errors.ts';
import { isJsonObject, parseJson } from '../../base/json-value.ts';

const NEWLINE = 0x0a;

/** Yields the lines that are not blank. */
function* textLines(body: Buffer): Generator<string, undefined, undefined> {
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf(NEWLINE, start);
    const end = found < 0 ? body.length : found;
    const line = body.toString('utf8', start, end).trim();
    if (line !== '') yield line;
    start = end + 1;
  }
}

interface ImportBody {
  /** The first line. */
  readonly args: unknown;
  /** The other lines. Throws `invalid-json` or `parse-failed` with the path of a row that is no object. */
  readonly rows: Iterable<Readonly<Record<string, unknown>>>;
}

/** Throws `invalid-json` where the first line is not JSON. The rows can be read once. */
export function readImportBody(body: Buffer): ImportBody {
  const lines = textLines(body);
  const first = lines.next();
  if (first.done === true) throw new ServiceError('invalid-json', 'the request body is empty');
  return { args: parsed(first.value, '$.args'), rows: rowsOf(lines) };
}

function* rowsOf(lines: Iterable<string>): Generator<Readonly<Record<string, unknown>>, undefined, undefined> {
  let index = 0;
  for (const line of lines) {
    const path = `$.rows[${index}]`;
    const row = parsed(line, path);
    if (!isJsonObject(row)) {
      throw new ServiceError('parse-failed', 'a row is a JSON object of values by column', { path });
    }
    yield row;
    index += 1;
  }
}

function parsed(line: string, path: string): unknown {
  try {
    return parseJson(line);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('invalid-json', `the line is not JSON: ${problem}`, { path });
  }
}
