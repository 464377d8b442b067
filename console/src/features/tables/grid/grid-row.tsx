/** A row of the grid with its visible cells. Rows are built of few plain elements: they are rendered while the grid scrolls. */
import { memo, type ReactNode } from 'react';
import classes from './grid.module.css';
import type { AfterEdit, Place } from './grid-keys.ts';
import type { GridColumn, VisibleCell } from './visible-cells.ts';

export type CellContent<Row> = (row: Row, column: GridColumn, index: number) => ReactNode;

/** Whether a cell has a change that is not saved, or one that cannot be saved. */
export type CellState<Row> = (row: Row, column: GridColumn, index: number) => 'changed' | 'invalid' | undefined;

/** A cell whose editor is open. */
export interface EditedCell<Row> {
  readonly row: Row;
  readonly index: number;
  readonly column: GridColumn;
  /** The key that began the edit. */
  readonly typed: string | undefined;
  readonly onClose: (after: AfterEdit) => void;
}

/** The columns of the header and of each row. */
export interface RenderedColumns {
  readonly cells: readonly VisibleCell[];
  readonly headWidth: number;
  /** Prefix of the ids of cells. */
  readonly id: string;
  /** Place of the column of the active cell. */
  readonly active: number | undefined;
}

interface GridRowProps<Row> extends RenderedColumns {
  /** Undefined while loading. */
  readonly row: Row | undefined;
  readonly index: number;
  readonly top: number;
  readonly isChosen: boolean;
  readonly cell: CellContent<Row>;
  readonly rowHead: (row: Row, index: number) => ReactNode;
  readonly cellState: CellState<Row>;
  /** Place of the column of the cell whose editor is open. */
  readonly edited: number | undefined;
  readonly typed: string | undefined;
  readonly editor: (cell: EditedCell<Row>) => ReactNode;
  readonly onClose: (after: AfterEdit) => void;
}

/** The id of the active cell. Other cells have none. */
export function cellId(id: string, { row, column }: Place): string {
  return `${id}-${row}-${column}`;
}

function Row<Row>(props: GridRowProps<Row>) {
  const { row, index, top, cells, headWidth, id, active, isChosen } = props;
  const { cell, cellState, edited, typed, editor, onClose } = props;
  return (
    <tr
      className={classes.row}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      data-edited={edited !== undefined || undefined}
      style={{ transform: `translateY(${top}px)` }}
    >
      <td className={classes.head} aria-colindex={1} style={{ width: headWidth }}>
        {row !== undefined && props.rowHead(row, index)}
      </td>
      {cells.map(({ column, place, isPinned, style }) => {
        const state = row && cellState(row, column, index);
        const isActive = place === active;
        return (
          <td
            key={column.name}
            id={isActive ? cellId(id, { row: index, column: place }) : undefined}
            className={classes.cell}
            aria-colindex={place + 2}
            aria-invalid={state === 'invalid' || undefined}
            data-state={state}
            data-active={isActive || undefined}
            data-pinned={isPinned || undefined}
            data-number={column.isNumber || undefined}
            style={style}
          >
            {row === undefined ? (
              <span className={classes.loading} />
            ) : place === edited ? (
              editor({ row, index, column, typed, onClose })
            ) : (
              cell(row, column, index)
            )}
          </td>
        );
      })}
    </tr>
  );
}

export const GridRow = memo(Row) as typeof Row;

/** Returns the place of the cell that contains the target of an event. Undefined outside of cells with values. */
export function placeOfTarget(target: EventTarget): Place | undefined {
  const cell = target instanceof Element ? target.closest('td') : null;
  const row = Number(cell?.closest('tr')?.getAttribute('aria-rowindex'));
  const column = Number(cell?.getAttribute('aria-colindex'));
  return row >= 2 && column >= 2 ? { row: row - 2, column: column - 2 } : undefined;
}
