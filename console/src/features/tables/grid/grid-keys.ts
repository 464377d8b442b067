/** Keyboard navigation of a grid. Pure. */

/** A cell. Row -1 is the header. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows that Page up and Page down move by. */
  readonly page: number;
}

interface Keys {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Returns the cell that a key moves to. Undefined for other keys. */
export function placeAfter({ row, column }: Place, keys: Keys, size: GridSize): Place | undefined {
  const target = destination(row, column, keys, size);
  return target && limited(target, size);
}

function destination(row: number, column: number, { key, ctrlKey, metaKey }: Keys, size: GridSize): Place | undefined {
  const far = ctrlKey || metaKey;
  const { rows, columns, page } = size;
  switch (key) {
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: far ? rows - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: far ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: far ? columns - 1 : column + 1 };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? rows - 1 : row, column: columns - 1 };
    case 'PageUp':
      return { row: Math.max(0, row - page), column };
    case 'PageDown':
      return { row: row + page, column };
    default:
      return undefined;
  }
}

/** Returns the nearest cell of the grid. */
export function limited({ row, column }: Place, { rows, columns }: Pick<GridSize, 'rows' | 'columns'>): Place {
  return {
    row: Math.min(Math.max(-1, row), Math.max(-1, rows - 1)),
    column: Math.min(Math.max(0, column), Math.max(0, columns - 1)),
  };
}

/** Where the active cell moves after an edit. "leave": the focus is elsewhere. */
export type AfterEdit = 'stay' | 'leave' | 'down' | 'up' | 'next' | 'previous';

export function placeAfterEdit(place: Place, after: AfterEdit, size: Pick<GridSize, 'rows' | 'columns'>): Place {
  const { row, column } = place;
  switch (after) {
    case 'stay':
    case 'leave':
      return place;
    case 'down':
      return limited({ row: row + 1, column }, size);
    case 'up':
      return { row: Math.max(0, row - 1), column };
    case 'next':
      return placeBeside(place, 1, size) ?? place;
    case 'previous':
      return placeBeside(place, -1, size) ?? place;
    default:
      return after satisfies never;
  }
}

/** Whether a key enters a character. */
export function isTypedKey({ key, ctrlKey, metaKey, altKey }: Keys & { readonly altKey: boolean }): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
}

/** Returns the next cell in reading order, or the previous one. Undefined after the last and before the first. */
function placeBeside(
  { row, column }: Place,
  step: 1 | -1,
  { rows, columns }: Pick<GridSize, 'rows' | 'columns'>,
): Place | undefined {
  const index = row * columns + column + step;
  if (index < 0 || index >= rows * columns) return undefined;
  return { row: Math.floor(index / columns), column: index % columns };
}
