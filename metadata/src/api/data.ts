/** Responses of the commands that read and write rows. */

/** A row with the selected columns and relationships. */
export type SelectedRow = Readonly<Record<string, unknown>>;
export type SelectedRows = readonly SelectedRow[];

export interface CountedRows {
  readonly count: number;
}

export interface WrittenRows {
  readonly affected_rows: number;
  /** Present with the argument `returning`. */
  readonly returning?: SelectedRows;
}
