/** A grid of any number of rows and columns: only the visible cells are in the page. */
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Sorting, turned } from '../../../ui/table/sorting.ts';
import classes from './grid.module.css';
import { GridHeader, type GridLayoutChanges, headerId } from './grid-header.tsx';
import { type AfterEdit, isTypedKey, limited, type Place, placeAfter, placeAfterEdit } from './grid-keys.ts';
import { type CellContent, type CellState, cellId, type EditedCell, GridRow, placeOfTarget } from './grid-row.tsx';
import { useColumnWindow, useRowWindow, widthOf } from './use-row-window.ts';
import { type GridColumn, visibleCells } from './visible-cells.ts';

/** Width in pixels of the column with the checkbox and the button that opens a row. */
const HEAD_WIDTH = 64;

interface DataGridProps<Row> {
  /** Another list is shown from its first row. */
  readonly list: string;
  readonly label: string;
  /** The visible columns, pinned ones first. */
  readonly columns: readonly GridColumn[];
  readonly pinned: number;
  readonly count: number;
  /** Whether `count` is the number of rows, not an estimate. */
  readonly isCounted: boolean;
  /** Undefined while loading. The same row must be the same object. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly isChosen: (row: Row, index: number) => boolean;
  /** The content of the first cell of each row. */
  readonly head: ReactNode;
  readonly rowHead: (row: Row, index: number) => ReactNode;
  /** Must be stable, as `rowHead`: another function renders all rows again. */
  readonly cell: CellContent<Row>;
  readonly cellState: CellState<Row>;
  /** Returns why a cell cannot be edited. */
  readonly whyReadOnly: (row: Row, column: GridColumn) => string | undefined;
  /** Shows why a cell cannot be edited. */
  readonly onReadOnly: (reason: string) => void;
  readonly editor: (cell: EditedCell<Row>) => ReactNode;
  readonly handle: Ref<GridHandle>;
  /** Receives the first and last visible row. */
  readonly onRange: (first: number, last: number) => void;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
  readonly layout: GridLayoutChanges;
  /** Handles keys on a cell. Returns whether it has handled the key. */
  readonly onKey: (event: KeyboardEvent, row: Row, index: number, column: GridColumn) => boolean;
}

export interface GridHandle {
  /** Opens the editor of a cell, as soon as its row is shown. */
  readonly edit: (index: number, column: string) => void;
}

interface OpenEdit {
  readonly place: Place;
  /** The key that began the edit. */
  readonly typed: string | undefined;
}

export function DataGrid<Row extends object>(props: DataGridProps<Row>) {
  const { list, label, columns, pinned, count, isCounted, rowAt, isChosen, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const id = useId();
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const [menuOf, setMenuOf] = useState<string>();
  const [edit, setEdit] = useState<OpenEdit>();
  const place = limited(active, { rows: count, columns: columns.length });
  const pinnedWidths = columns.slice(0, pinned).map(({ width }) => width);
  const pinnedWidth = HEAD_WIDTH + widthOf(pinnedWidths);
  const scrolling = columns.slice(pinned);
  const rowWindow = useRowWindow(scroller, count, edit?.place.row);
  const columnWindow = useColumnWindow(
    scroller,
    scrolling.map(({ width }) => width),
    pinnedWidth,
    edit && edit.place.column - pinned,
  );
  const { before } = columnWindow;
  const shown = columnWindow.places.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shown` has the places of the column window
  const cells = useMemo(() => {
    const places = [...columns.slice(0, pinned).keys(), ...columnWindow.places.map((one) => one + pinned)];
    return visibleCells({ columns, pinned, places, headWidth: HEAD_WIDTH, before });
  }, [columns, pinned, shown, before]);
  const { first, last } = rowWindow.range;
  useEffect(() => onRange(first, last), [onRange, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for another list
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setActive(({ row, column }) => ({ row: Math.min(row, 0), column }));
  }, [list]);
  const size = { rows: count, columns: columns.length };
  const goTo = (next: Place): void => {
    setActive(next);
    rowWindow.reveal(next.row);
    revealColumn(scroller.current, columns, pinned, next.column);
  };
  const begin = (at: Place, typed?: string): void => {
    const row = rowAt(at.row);
    const column = columns[at.column];
    if (row === undefined || column === undefined) return;
    const reason = props.whyReadOnly(row, column);
    if (reason === undefined) {
      goTo(at);
      setEdit({ place: at, typed });
    } else if (typed === undefined) props.onReadOnly(reason);
  };
  useImperativeHandle(props.handle, () => ({
    edit: (index, name) => begin({ row: index, column: columns.findIndex((one) => one.name === name) }),
  }));
  const close = (after: AfterEdit): void => {
    setEdit(undefined);
    if (after === 'leave' || edit === undefined) return;
    grid.current?.focus({ preventScroll: true });
    goTo(placeAfterEdit(edit.place, after, size));
  };
  const latest = useRef({ begin, close });
  useEffect(() => {
    latest.current = { begin, close };
  });
  const onClose = useCallback((after: AfterEdit) => latest.current.close(after), []);
  const onActiveHeader = useCallback((column: number) => setActive({ row: -1, column }), []);
  const onMenu = useCallback((name: string | undefined): void => {
    setMenuOf(name);
    if (name === undefined) grid.current?.focus({ preventScroll: true });
  }, []);
  const onCellClick = ({ target }: MouseEvent): void => {
    const clicked = placeOfTarget(target);
    if (clicked !== undefined) setActive(clicked);
  };
  const onCellDoubleClick = ({ target }: MouseEvent): void => {
    const clicked = placeOfTarget(target);
    if (clicked === undefined) return;
    const isOpen = edit !== undefined && samePlace(edit.place, clicked);
    if (!isOpen) begin(clicked);
  };
  const onCellKey = (event: KeyboardEvent): boolean => {
    const row = rowAt(place.row);
    const column = columns[place.column];
    if (row === undefined || column === undefined) return false;
    if (props.onKey(event, row, place.row, column)) return true;
    if (event.key === 'Enter' || event.key === 'F2') {
      begin(place);
      return true;
    }
    if (!isTypedKey(event)) return false;
    begin(place, event.key);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const isOutside = event.target instanceof Node && !event.currentTarget.contains(event.target);
    if (isOutside || isTyping(event.target) || event.defaultPrevented) return;
    if (place.row >= 0 && onCellKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const column = columns[place.column];
    if (place.row === -1 && column !== undefined) {
      if (event.key === 'Enter' && column.isSortable) {
        event.preventDefault();
        props.onSort(turned(props.sorting, column.name));
        return;
      }
      if (event.key === ' ' || (event.key === 'ArrowDown' && event.altKey)) {
        event.preventDefault();
        setMenuOf(column.name);
        return;
      }
    }
    const next = placeAfter(place, event, { ...size, page: rowWindow.pageSize() });
    if (next === undefined) return;
    event.preventDefault();
    grid.current?.focus({ preventScroll: true });
    goTo(next);
  };
  const isRendered =
    cells.some((cell) => cell.place === place.column) &&
    (place.row === -1 || rowWindow.rows.some(({ index }) => index === place.row));
  return (
    <div ref={scroller} className={classes.scroller}>
      <table
        ref={grid}
        className={classes.canvas}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA permits a grid on a table
        role="grid"
        aria-label={label}
        aria-rowcount={isCounted ? count + 1 : -1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-activedescendant={
          isRendered ? (place.row === -1 ? headerId(id, place.column) : cellId(id, place)) : undefined
        }
        tabIndex={0}
        style={{ width: pinnedWidth + columnWindow.width }}
        onKeyDown={onKeyDown}
      >
        <thead className={classes.top}>
          <GridHeader
            id={id}
            head={props.head}
            cells={cells}
            headWidth={HEAD_WIDTH}
            active={place.row === -1 ? place.column : undefined}
            onActive={onActiveHeader}
            sorting={props.sorting}
            onSort={props.onSort}
            layout={props.layout}
            menuOf={menuOf}
            onMenu={onMenu}
          />
        </thead>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys */}
        <tbody
          className={classes.rows}
          style={{ height: rowWindow.height }}
          onClick={onCellClick}
          onDoubleClick={onCellDoubleClick}
        >
          {rowWindow.rows.map(({ index, top }) => {
            const row = rowAt(index);
            const isEdited = edit?.place.row === index;
            return (
              <GridRow
                // Rows that leave the window are reused for those that enter it.
                key={isEdited ? 'edited' : index % rowWindow.pool}
                id={id}
                row={row}
                index={index}
                top={top}
                cells={cells}
                headWidth={HEAD_WIDTH}
                active={place.row === index ? place.column : undefined}
                isChosen={row !== undefined && isChosen(row, index)}
                cell={props.cell}
                cellState={props.cellState}
                edited={isEdited ? edit.place.column : undefined}
                typed={isEdited ? edit.typed : undefined}
                editor={props.editor}
                onClose={onClose}
                rowHead={props.rowHead}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function samePlace(one: Place, other: Place): boolean {
  return one.row === other.row && one.column === other.column;
}

/** Whether the keys belong to an input inside of the grid. */
function isTyping(target: EventTarget): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=menu]') !== null
  );
}

/** Scrolls so that a column is visible beside the pinned ones. */
function revealColumn(
  element: HTMLElement | null,
  columns: readonly GridColumn[],
  pinned: number,
  place: number,
): void {
  const column = columns[place];
  if (element === null || column === undefined || place < pinned) return;
  const fixed = HEAD_WIDTH + widthOf(columns.slice(0, pinned).map(({ width }) => width));
  const start = widthOf(columns.slice(pinned, place).map(({ width }) => width));
  const available = element.clientWidth - fixed;
  if (start < element.scrollLeft) element.scrollLeft = start;
  else if (start + column.width > element.scrollLeft + available) {
    element.scrollLeft = Math.min(start, start + column.width - available);
  }
}
