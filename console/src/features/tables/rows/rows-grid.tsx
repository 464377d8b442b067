/** The grid of rows: pages, selection, edits in place and new rows. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { navigate } from '../../../router/location.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { writeSorting } from '../../../ui/table/sorting.ts';
import { CellEditor } from '../cell-editor/cell-editor.tsx';
import { DataGrid, type GridHandle } from '../grid/data-grid.tsx';
import type { EditedCell } from '../grid/grid-row.tsx';
import { RowHead, SelectLoaded } from '../grid/row-head.tsx';
import type { useGridColumns } from '../grid/use-grid-columns.ts';
import type { GridColumn } from '../grid/visible-cells.ts';
import type { RowEditing } from '../row-edits/use-row-editing.ts';
import { keyText, linkOfValue, nameOfRow } from '../row-model/row-keys.ts';
import { draftsOf, type Row, shortText } from '../row-model/row-values.ts';
import type { Target } from '../row-model/rows-api.ts';
import { copy } from './copy-menu.tsx';
import { DraftValue, RowCell } from './row-cell.tsx';
import type { useRows } from './use-rows.ts';

export type ChosenRows = ReadonlyMap<string, Row>;

interface RowsGridProps {
  readonly target: Target;
  readonly info: TableInfo;
  readonly list: ReturnType<typeof useRows>;
  readonly grid: ReturnType<typeof useGridColumns>;
  readonly editing: RowEditing;
  /** Whether rows have a key and are read as admin. */
  readonly isKeyed: boolean;
  readonly chosen: ChosenRows;
  readonly onChoose: (next: (before: ChosenRows) => ChosenRows) => void;
  readonly onOpen: (row: Row) => void;
}

export function RowsGrid(props: RowsGridProps) {
  const { target, info, list, grid, editing, isKeyed, chosen, onChoose, onOpen } = props;
  const { pages, total, sorting, onSort } = list;
  const { pending, newRows, problems, columns, change, revert } = editing;
  const handle = useRef<GridHandle>(null);
  const newKeys = newRows.map(({ key }) => key).join('\n');
  // The same objects while rows are added: the grid recognizes rows by them.
  const added = useMemo((): readonly (readonly [string, Row])[] => {
    return newKeys === '' ? [] : newKeys.split('\n').map((key) => [key, {}]);
  }, [newKeys]);
  const keysOfNew = useMemo(() => new Map(added.map(([key, row]) => [row, key])), [added]);
  const offset = added.length;
  const { rowAt: pageRowAt, onRange: onPageRange } = pages;
  const rowAt = useCallback(
    (index: number): Row | undefined => (index < offset ? added[index]?.[1] : pageRowAt(index - offset)),
    [added, offset, pageRowAt],
  );
  const onRange = useCallback(
    (first: number, last: number) => onPageRange(Math.max(0, first - offset), Math.max(0, last - offset)),
    [onPageRange, offset],
  );
  const keyOf = useCallback(
    (row: Row, index: number): string => keysOfNew.get(row) ?? (isKeyed ? keyText(row, info) : String(index - offset)),
    [keysOfNew, isKeyed, info, offset],
  );
  useEditOfNewRow(handle, newRows[0]?.key, grid.columns, columns);
  const invalid = useMemo(
    () => new Set(problems.flatMap(({ key, column }) => (column === undefined ? [] : [`${key} ${column}`]))),
    [problems],
  );
  const cellState = useCallback(
    (row: Row, { name }: GridColumn, index: number) => {
      const key = keyOf(row, index);
      if (invalid.has(`${key} ${name}`)) return 'invalid';
      return pending.get(key)?.drafts[name] === undefined ? undefined : 'changed';
    },
    [keyOf, invalid, pending],
  );
  const cell = useCallback(
    (row: Row, { name }: GridColumn, index: number) => {
      const draft = pending.get(keyOf(row, index))?.drafts[name];
      if (draft !== undefined) return <DraftValue draft={draft} />;
      return <RowCell value={row[name]} to={linkOfValue(target.source, info, row, name)} column={name} info={info} />;
    },
    [pending, keyOf, target.source, info],
  );
  const isChosen = useCallback((row: Row, index: number) => chosen.has(keyOf(row, index)), [chosen, keyOf]);
  const choose = (row: Row, index: number, isOn: boolean): void =>
    onChoose((before) => {
      const next = new Map(before);
      if (isOn) next.set(keyOf(row, index), row);
      else next.delete(keyOf(row, index));
      return next;
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the functions depend on the same values
  const rowHead = useCallback(
    (row: Row, index: number) => {
      const key = keysOfNew.get(row);
      if (key !== undefined) return <RowHead name="the new row" onRemove={() => editing.remove(key)} />;
      return (
        <RowHead
          name={nameOfRow(row, info)}
          isChosen={isChosen(row, index)}
          onChoose={(isOn) => choose(row, index, isOn)}
          onOpen={() => onOpen(row)}
        />
      );
    },
    [keysOfNew, info, isChosen, keyOf],
  );
  const whyReadOnly = (row: Row, { name }: GridColumn): string | undefined => {
    const isNew = keysOfNew.has(row);
    if (!isNew && !isKeyed) return 'Rows without a readable primary key, and rows seen as a role, are not edited.';
    if (!isNew && !info.updatable) return 'PostgreSQL does not update rows of this view.';
    return columns.some((column) => column.name === name) ? undefined : `Only the database writes ${name}.`;
  };
  const editor = useCallback(
    ({ row, index, column: { name }, typed, onClose }: EditedCell<Row>) => {
      const key = keyOf(row, index);
      const column = columns.find((one) => one.name === name);
      if (column === undefined) return null;
      const isNew = keysOfNew.has(row);
      const drafts = { ...(isNew ? {} : draftsOf(row, columns)), ...pending.get(key)?.drafts };
      return (
        <CellEditor
          target={target}
          info={info}
          column={column}
          draft={drafts[name] ?? { mode: 'null', text: '' }}
          typed={typed}
          onCommit={(changed, after) => {
            if (Object.keys(changed).length > 0) change(key, isNew ? undefined : row, changed);
            onClose(after);
          }}
          onCancel={() => onClose('stay')}
        />
      );
    },
    [keyOf, keysOfNew, columns, pending, target, info, change],
  );
  const onKey = (event: KeyboardEvent, row: Row, index: number, shown: GridColumn): boolean => {
    const { name } = shown;
    const key = keyOf(row, index);
    const column = columns.find((one) => one.name === name);
    const isFar = event.ctrlKey || event.metaKey;
    const draft = pending.get(key)?.drafts[name];
    if (isFar && event.key === 'c' && window.getSelection()?.isCollapsed !== false) {
      void copy(draft === undefined ? shortText(row[name]) : draft.text, 'Cell copied');
      return true;
    }
    if (isFar && event.key === 'Enter') {
      const to = linkOfValue(target.source, info, row, name);
      if (to !== undefined) navigate(to);
      return true;
    }
    if (event.shiftKey && event.key === 'Enter') {
      if (!keysOfNew.has(row)) onOpen(row);
      return true;
    }
    switch (event.key) {
      case 'Escape':
        if (pending.get(key)?.drafts[name] === undefined) return false;
        revert(key, name);
        return true;
      case 'Delete':
      case 'Backspace':
        if (column?.nullable !== true || whyReadOnly(row, shown) !== undefined) return false;
        change(key, keysOfNew.has(row) ? undefined : row, { [name]: { mode: 'null', text: '' } });
        return true;
      case ' ':
        if (keysOfNew.has(row)) return false;
        choose(row, index, !isChosen(row, index));
        return true;
      default:
        return false;
    }
  };
  return (
    <DataGrid
      handle={handle}
      // Sorting by the key does not change the order of the first page, but begins at the first row.
      list={sorting === undefined ? pages.list : `${pages.list} ${writeSorting(sorting)}`}
      label={`Rows of ${tableLabel(info.table)}`}
      columns={grid.columns}
      pinned={grid.pinned}
      count={total.rows + offset}
      isCounted={total.accuracy === 'exact'}
      rowAt={rowAt}
      isChosen={isChosen}
      head={
        <SelectLoaded
          count={pages.loaded.length}
          isAll={pages.loaded.length > 0 && pages.loaded.length === chosen.size}
          isSome={chosen.size > 0}
          onChange={(isAll) =>
            onChoose(() => new Map(isAll ? pages.entries.map(([index, row]) => [keyOf(row, index + offset), row]) : []))
          }
        />
      }
      rowHead={rowHead}
      cell={cell}
      cellState={cellState}
      whyReadOnly={whyReadOnly}
      onReadOnly={(text) => notify({ title: 'The cell is not editable', text })}
      editor={editor}
      onRange={onRange}
      sorting={sorting}
      onSort={onSort}
      layout={grid.changes}
      onKey={onKey}
    />
  );
}

/** Opens the editor of the first column of a new row that the database does not fill. */
function useEditOfNewRow(
  handle: { readonly current: GridHandle | null },
  key: string | undefined,
  shown: readonly GridColumn[],
  columns: RowEditing['columns'],
): void {
  const first = shown.find(({ name }) =>
    columns.some((column) => column.name === name && !column.has_default && column.identity === null),
  );
  const known = useRef<string>(undefined);
  useEffect(() => {
    const isNew = key !== undefined && key !== known.current;
    known.current = key;
    if (isNew && first !== undefined) handle.current?.edit(0, first.name);
  }, [handle, key, first]);
}
