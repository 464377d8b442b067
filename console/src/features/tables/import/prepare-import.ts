/** Reads a whole file, checks its values and writes the body of the import. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import type { ColumnMapping } from './column-mapping.ts';
import { csvRecords } from './csv-records.ts';
import { type FileFormat, type FileRecord, textParts } from './file-records.ts';
import { type EmptyChoice, importedValue } from './import-values.ts';
import { jsonRecords } from './json-records.ts';

export interface LineError {
  /** Line of the file, or number of the item in a JSON array. */
  readonly line: number;
  /** Undefined for an error of the whole row. */
  readonly column: string | undefined;
  readonly message: string;
}

interface ImportPlan {
  readonly file: Blob;
  readonly format: FileFormat;
  /** The columns of the table. */
  readonly columns: readonly ColumnInfo[];
  readonly mapping: ColumnMapping;
  readonly empty: EmptyChoice;
}

export interface PreparedImport {
  readonly body: Blob;
  readonly rows: number;
  /** Returns the line of a row by its index. */
  readonly lineOf: (row: number) => number;
}

/** Errors after which the rest of the file is not checked. */
export const MAX_ERRORS = 100;
/** Characters of the body that are joined, so that the browser can store them outside of the memory of the page. */
const PART = 1024 * 1024;

/** Yields the records of a file. Throws FileProblem. */
export function recordsOf(file: Blob, format: FileFormat): AsyncGenerator<readonly FileRecord[], undefined, undefined> {
  return format.kind === 'csv' ? csvRecords(textParts(file), format) : jsonRecords(textParts(file));
}

/** Returns the row of a record, or its errors. */
export function rowOf(
  { line, values, problem }: FileRecord,
  { format, columns, mapping, empty }: Omit<ImportPlan, 'file'>,
): { readonly row: Readonly<Record<string, unknown>>; readonly errors: readonly LineError[] } {
  const row: Record<string, unknown> = {};
  const errors: LineError[] = problem === undefined ? [] : [{ line, column: undefined, message: problem }];
  if (problem !== undefined) return { row, errors };
  for (const column of columns) {
    const name = mapping[column.name];
    if (name === undefined) continue;
    const read = importedValue(values[name], column, { empty, isText: format.kind === 'csv' });
    if ('problem' in read) errors.push({ line, column: column.name, message: read.problem });
    else if (read.value !== undefined) row[column.name] = read.value;
  }
  return { row, errors };
}

/** `args` are those of the import. Returns the body, or the errors by line. Throws FileProblem, and the reason of `signal`. */
export async function prepareImport(
  plan: ImportPlan,
  args: object,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<PreparedImport | readonly LineError[]> {
  const parts: Blob[] = [];
  const errors: LineError[] = [];
  const lines: number[] = [];
  let text = `${JSON.stringify(args)}\n`;
  for await (const records of recordsOf(plan.file, plan.format)) {
    signal.throwIfAborted();
    for (const record of records) {
      const { row, errors: found } = rowOf(record, plan);
      errors.push(...found);
      if (errors.length >= MAX_ERRORS) return errors.slice(0, MAX_ERRORS);
      lines.push(record.line);
      if (errors.length === 0) text += `${JSON.stringify(row)}\n`;
      if (text.length < PART) continue;
      parts.push(new Blob([text]));
      text = '';
    }
    onProgress(lines.length);
  }
  if (errors.length > 0) return errors;
  parts.push(new Blob([text]));
  return { body: new Blob(parts), rows: lines.length, lineOf: (row) => lines[row] ?? row + 1 };
}
