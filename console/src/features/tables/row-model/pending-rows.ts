/** Changes of rows that are not saved. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { type Drafts, draftsOf, type FieldDraft, newDrafts, type Row, writtenRow } from './row-values.ts';

export interface PendingRow {
  /** Identifies the row in the grid. */
  readonly key: string;
  /** The row before its first change. Undefined for a new row. */
  readonly row: Row | undefined;
  /** Drafts of the changed columns, of a new row those of all columns. */
  readonly drafts: Drafts;
  /** Error of the database. */
  readonly problem?: { readonly column: string | undefined; readonly message: string };
}

/** In the order of the first change. */
export type PendingRows = ReadonlyMap<string, PendingRow>;

export const noChanges: PendingRows = new Map();

/** Sets drafts of a row. A draft that is equal to the value of the row is no change. */
export function withDrafts(
  pending: PendingRows,
  { key, row }: Pick<PendingRow, 'key' | 'row'>,
  columns: readonly ColumnInfo[],
  drafts: Drafts,
): PendingRows {
  const before = pending.get(key);
  const original = before === undefined ? row : before.row;
  const unchanged = original === undefined ? {} : draftsOf(original, columns);
  const all = Object.entries({ ...before?.drafts, ...drafts });
  const changed = all.filter(([name, draft]) => !isSame(unchanged[name], draft));
  const next = new Map(pending);
  if (changed.length === 0 && original !== undefined) next.delete(key);
  else next.set(key, { key, row: original, drafts: Object.fromEntries(changed) });
  return next;
}

function isSame(one: FieldDraft | undefined, other: FieldDraft): boolean {
  return one !== undefined && one.mode === other.mode && (one.mode !== 'value' || one.text === other.text);
}

/** Reverts a column of a row; of a new row to its initial draft. */
export function withoutDraft(
  pending: PendingRows,
  key: string,
  column: string,
  columns: readonly ColumnInfo[],
): PendingRows {
  const found = pending.get(key);
  if (found === undefined) return pending;
  const initial = found.row === undefined ? newDrafts(columns) : draftsOf(found.row, columns);
  const draft = initial[column];
  return draft === undefined ? pending : withDrafts(pending, found, columns, { [column]: draft });
}

export function withoutRow(pending: PendingRows, key: string): PendingRows {
  const next = new Map(pending);
  next.delete(key);
  return next;
}

/** Adds a new row, with the values of `like` except in columns that the database fills. */
export function withNewRow(
  pending: PendingRows,
  key: string,
  columns: readonly ColumnInfo[],
  like?: Row,
  primaryKey: readonly string[] = [],
): PendingRows {
  const initial = newDrafts(columns);
  const copied = like === undefined ? {} : draftsOf(like, columns);
  const drafts = Object.fromEntries(
    columns.map(({ name }): [string, FieldDraft] => {
      const fresh = initial[name] ?? { mode: 'null', text: '' };
      const isFilled = primaryKey.includes(name) && fresh.mode === 'default';
      return [name, isFilled ? fresh : (copied[name] ?? fresh)];
    }),
  );
  return new Map([...pending, [key, { key, row: undefined, drafts }]]);
}

/** The number of changed cells and new rows. */
export function countChanges(pending: PendingRows): number {
  return [...pending.values()].reduce(
    (sum, { row, drafts }) => sum + (row === undefined ? 1 : Object.keys(drafts).length),
    0,
  );
}

/** A row to write, in the order of the pending rows. */
export interface RowWrite {
  readonly key: string;
  /** The row when its first change was made. Undefined for a new row. */
  readonly row: Row | undefined;
  readonly values: Row;
  /** Columns that get their default. */
  readonly defaults: readonly string[];
}

export interface WrittenRows {
  readonly writes: readonly RowWrite[];
  /** Validation errors by the key of the row, then by column. */
  readonly problems: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

export function writtenRows(pending: PendingRows, columns: readonly ColumnInfo[]): WrittenRows {
  const problems = new Map<string, Readonly<Record<string, string>>>();
  const writes = [...pending.values()].flatMap(({ key, row, drafts }): readonly RowWrite[] => {
    const written = writtenRow(drafts, columns, undefined);
    if ('problems' in written) {
      problems.set(key, written.problems);
      return [];
    }
    const defaults = Object.keys(drafts).filter((name) => drafts[name]?.mode === 'default');
    return [{ key, row, values: written.row, defaults: row === undefined ? [] : defaults }];
  });
  return { writes, problems };
}
