/** The columns that are rendered, with the styles that the cells of all rows share. Pure. */
import type { CSSProperties } from 'react';

export interface GridColumn {
  readonly name: string;
  /** The type, shown under the name. */
  readonly type: string;
  /** Type, constraints and comment. */
  readonly about: string;
  /** Pixels. */
  readonly width: number;
  readonly isKey: boolean;
  readonly isSortable: boolean;
  readonly isNumber: boolean;
}

export interface VisibleCell {
  readonly column: GridColumn;
  /** Index among all columns. */
  readonly place: number;
  readonly isPinned: boolean;
  /** The same object for all rows: React compares styles by reference first. */
  readonly style: CSSProperties;
}

interface VisibleCellsInput {
  /** All shown columns, pinned ones first. */
  readonly columns: readonly GridColumn[];
  readonly pinned: number;
  /** Places of the columns to render. */
  readonly places: readonly number[];
  /** Width in pixels of the first cell of each row. */
  readonly headWidth: number;
  /** Width in pixels of the scrolling columns before the rendered ones. */
  readonly before: number;
}

export function visibleCells({
  columns,
  pinned,
  places,
  headWidth,
  before,
}: VisibleCellsInput): readonly VisibleCell[] {
  let left = headWidth;
  return places.flatMap((place, order): readonly VisibleCell[] => {
    const column = columns[place];
    if (column === undefined) return [];
    const { width } = column;
    const isPinned = place < pinned;
    const style = isPinned ? { width, left } : order === pinned ? { width, marginInlineStart: before } : { width };
    if (isPinned) left += width;
    return [{ column, place, isPinned, style }];
  });
}
