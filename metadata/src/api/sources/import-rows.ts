/** `POST /v1/import_rows`: many rows into one table in one transaction. */
import { z } from 'zod';
import { tableArguments } from '../../commands/edit/change.ts';
import { InsertRows } from './data.ts';

/** The first line of the request; each further line is a row. */
export const ImportRows = z.strictObject({
  ...tableArguments,
  on_conflict: InsertRows.shape.on_conflict,
  /** The import stops after so many rows that cannot be inserted. */
  max_errors: z.int().min(1).max(1_000).default(20),
});
export type ImportRows = z.infer<typeof ImportRows>;

/** A row that cannot be inserted. */
export interface RowError {
  /** Index of the row, from 0. */
  readonly row: number;
  /** JSON path, such as `$.rows[17].age`. */
  readonly path: string;
  readonly code: string;
  readonly error: string;
}

export interface ImportedRows {
  /** The rows of the request. */
  readonly rows: number;
  /** The rows that were inserted or updated; rows that a conflict skipped are not counted. */
  readonly affected_rows: number;
}

/** Nothing was imported. */
export interface RejectedImport {
  readonly code: string;
  readonly path: string;
  readonly error: string;
  /** Absent where no row causes the error. */
  readonly errors?: readonly RowError[];
}

/** A line of the response to a request that accepts `application/x-ndjson`. The last line has the outcome. */
export type ImportLine = { readonly processed: number } | ImportedRows | RejectedImport;
