/** The header of the grid: names, types, order, widths and a menu for each column. */
import { Menu } from '@mantine/core';
import { type ComponentPropsWithRef, type DragEvent, memo, type PointerEvent, type ReactNode, useState } from 'react';
import { DotsIcon, KeyIcon, SortedDownIcon, SortedUpIcon } from '../../../ui/page/icons.tsx';
import { type Sorting, turned } from '../../../ui/table/sorting.ts';
import { limitedWidth } from './column-layout.ts';
import classes from './grid.module.css';
import type { RenderedColumns } from './grid-row.tsx';
import type { GridColumn, VisibleCell } from './visible-cells.ts';

export interface GridLayoutChanges {
  readonly onResize: (column: string, width: number) => void;
  readonly onMove: (column: string, step: 1 | -1) => void;
  /** Moves a column to the place of another one. */
  readonly onDrop: (column: string, other: string) => void;
  readonly onHide: (column: string) => void;
}

interface GridHeaderProps extends RenderedColumns {
  readonly head: ReactNode;
  readonly onActive: (column: number) => void;
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
  readonly layout: GridLayoutChanges;
  /** The column whose menu is open. */
  readonly menuOf: string | undefined;
  readonly onMenu: (column: string | undefined) => void;
}

export function headerId(id: string, column: number): string {
  return `${id}-head-${column}`;
}

/** Rendered again only when its columns change, not while the rows scroll. */
export const GridHeader = memo((props: GridHeaderProps) => {
  const { cells, headWidth } = props;
  return (
    <tr className={classes.header} aria-rowindex={1}>
      <th scope="col" className={`${classes.head} ${classes.corner}`} aria-colindex={1} style={{ width: headWidth }}>
        {props.head}
      </th>
      {cells.map((cell) => (
        <HeaderCell key={cell.column.name} {...props} {...cell} />
      ))}
    </tr>
  );
});

type HeaderCellProps = GridHeaderProps & VisibleCell;

/** Type of the dragged column name. */
const dragged = 'application/x-joinery-column';

function HeaderCell(props: HeaderCellProps) {
  const { id, column, place, isPinned, style, active, onActive, sorting, onSort, layout, menuOf, onMenu } = props;
  const [isOver, setIsOver] = useState(false);
  const direction = sorting?.by === column.name ? sorting.direction : undefined;
  const drag = {
    draggable: !isPinned,
    onDragStart: (event: DragEvent) => event.dataTransfer.setData(dragged, column.name),
    onDragOver: (event: DragEvent) => {
      if (isPinned || !event.dataTransfer.types.includes(dragged)) return;
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      layout.onDrop(event.dataTransfer.getData(dragged), column.name);
    },
  };
  return (
    <th
      id={headerId(id, place)}
      scope="col"
      className={classes.heading}
      aria-colindex={place + 2}
      aria-sort={direction === undefined ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
      data-active={place === active || undefined}
      data-pinned={isPinned || undefined}
      data-over={isOver || undefined}
      style={style}
      onClick={() => onActive(place)}
      {...drag}
    >
      <div className={classes.names} title={column.about}>
        <span className={classes.name}>
          {column.isSortable ? (
            <button
              type="button"
              className={classes.sort}
              tabIndex={-1}
              onClick={() => onSort(turned(sorting, column.name))}
            >
              {column.name}
            </button>
          ) : (
            <span className={classes.sort}>{column.name}</span>
          )}
          {column.isKey && <KeyIcon size={12} />}
          {direction === 'asc' && <SortedUpIcon size={13} />}
          {direction === 'desc' && <SortedDownIcon size={13} />}
        </span>
        <span className={classes.type}>{column.type}</span>
      </div>
      {menuOf === column.name ? (
        <ColumnMenu {...props} />
      ) : (
        <OptionsButton column={column} onClick={() => onMenu(column.name)} />
      )}
      <ResizeHandle column={column} onResize={layout.onResize} />
    </th>
  );
}

/** Pixels that the menu changes a width by. */
const STEP = 40;

interface OptionsButtonProps extends ComponentPropsWithRef<'button'> {
  readonly column: GridColumn;
}

function OptionsButton({ column, ...props }: OptionsButtonProps) {
  return (
    <button
      type="button"
      className={classes.button}
      tabIndex={-1}
      aria-haspopup="menu"
      aria-label={`Options of column ${column.name}`}
      {...props}
    >
      <DotsIcon size={14} />
    </button>
  );
}

/** The open menu. Closed ones are not rendered: they would cost more than the rest of the header. */
function ColumnMenu({ column, onSort, layout, onMenu, isPinned }: HeaderCellProps) {
  const { name, width, isSortable } = column;
  return (
    <Menu
      opened
      // The key that opens the menu would close it, as it reaches the document after the menu is rendered.
      clickOutsideEvents={['mousedown', 'touchstart']}
      onChange={(opened) => onMenu(opened ? name : undefined)}
      position="bottom-end"
      shadow="md"
      withinPortal
      returnFocus={false}
    >
      <Menu.Target>
        <OptionsButton column={column} />
      </Menu.Target>
      <Menu.Dropdown>
        {isSortable && (
          <>
            <Menu.Item onClick={() => onSort({ by: name, direction: 'asc' })}>Sort ascending</Menu.Item>
            <Menu.Item onClick={() => onSort({ by: name, direction: 'desc' })}>Sort descending</Menu.Item>
            <Menu.Divider />
          </>
        )}
        <Menu.Item onClick={() => layout.onMove(name, -1)}>Move left</Menu.Item>
        <Menu.Item onClick={() => layout.onMove(name, 1)}>Move right</Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => layout.onResize(name, width + STEP)}>
          Widen
        </Menu.Item>
        <Menu.Item closeMenuOnClick={false} onClick={() => layout.onResize(name, width - STEP)}>
          Narrow
        </Menu.Item>
        {!isPinned && <Menu.Item onClick={() => layout.onHide(name)}>Hide column</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ResizeHandleProps {
  readonly column: GridColumn;
  readonly onResize: GridLayoutChanges['onResize'];
}

/** Resizes a column by the pointer. The menu of the column does the same by the keyboard. */
function ResizeHandle({ column: { name, width }, onResize }: ResizeHandleProps) {
  const [from, setFrom] = useState<number>();
  const moved = (event: PointerEvent): number => limitedWidth(width + event.clientX - (from ?? event.clientX));
  return (
    <div
      className={classes.resize}
      aria-hidden="true"
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setFrom(event.clientX);
      }}
      onPointerMove={(event) => {
        if (from === undefined) return;
        const next = moved(event);
        if (next === width) return;
        onResize(name, next);
        setFrom(from + next - width);
      }}
      onPointerUp={() => setFrom(undefined)}
    />
  );
}
