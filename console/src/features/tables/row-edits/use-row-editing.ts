/** Changes of rows in the grid that are saved together. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Failure } from '../../../api/failure.ts';
import { useCommand } from '../../../api/use-command.ts';
import { counted } from '../../../ui/format.ts';
import { isReadable } from '../row-model/column-family.ts';
import {
  countChanges,
  noChanges,
  type PendingRow,
  type PendingRows,
  type RowWrite,
  withDrafts,
  withNewRow,
  withoutDraft,
  withoutRow,
  writtenRows,
} from '../row-model/pending-rows.ts';
import { RowConflict } from '../row-model/row-conflict.ts';
import { keyOfRow } from '../row-model/row-keys.ts';
import { columnOfProblem, type Drafts, newDrafts, type Row } from '../row-model/row-values.ts';
import type { Target } from '../row-model/rows-api.ts';
import { saveRows } from '../row-model/save-rows.ts';

interface Saving {
  readonly writes: readonly RowWrite[];
  /** Whether to overwrite changes of other users. */
  readonly isOver: boolean;
}

/** Why a row or a cell cannot be saved. */
export interface RowProblem {
  readonly key: string;
  /** Undefined for an error of the row. */
  readonly column: string | undefined;
  readonly message: string;
}

export interface RowEditing {
  readonly pending: PendingRows;
  /** Number of changed cells and new rows. */
  readonly changes: number;
  /** New rows, the latest first. */
  readonly newRows: readonly PendingRow[];
  readonly columns: readonly ColumnInfo[];
  /** Errors of the values that were typed, and of the last attempt to save. */
  readonly problems: readonly RowProblem[];
  readonly change: (key: string, row: Row | undefined, drafts: Drafts) => void;
  readonly revert: (key: string, column: string) => void;
  /** Adds a new row, with the values of `like`. */
  readonly add: (like?: Row) => void;
  readonly remove: (key: string) => void;
  readonly discard: () => void;
  readonly save: (isOver?: boolean) => void;
  readonly failure: Failure | undefined;
  readonly conflict: RowConflict | undefined;
  readonly isSaving: boolean;
}

export function useRowEditing(target: Target, info: TableInfo): RowEditing {
  const columns = useMemo(() => info.columns.filter((column) => column.writable && isReadable(column)), [info]);
  const [pending, setPending] = useState(noChanges);
  const [isChecked, setChecked] = useState(false);
  const added = useRef(0);
  const command = useCommand(
    (client, { writes, isOver }: Saving) =>
      saveRows(writes, { client, target, columns, keyOf: (row) => keyOfRow(row, info), isOver }),
    {
      notice: () => ({ title: `${counted(countChanges(pending), 'change')} saved` }),
      onDone: (_result, { writes }) =>
        setPending((before) => writes.reduce((rest, { key }) => withoutRow(rest, key), before)),
      changes: [['rows']],
    },
  );
  const { reset } = command;
  const { writes, problems: invalid } = useMemo(() => writtenRows(pending, columns), [pending, columns]);
  const typed = useMemo(
    () => [...invalid].flatMap(([key, found]) => problemsOf(key, found, pending, columns, isChecked)),
    [invalid, pending, columns, isChecked],
  );
  const conflict = command.failure instanceof RowConflict ? command.failure : undefined;
  const rejected = conflict === undefined ? rejectionOf(command.failure, command.input, columns) : undefined;
  const update = useCallback(
    (next: (before: PendingRows) => PendingRows): void => {
      reset();
      setPending(next);
    },
    [reset],
  );
  return {
    pending,
    changes: countChanges(pending),
    newRows: useMemo(() => [...pending.values()].filter(({ row }) => row === undefined).toReversed(), [pending]),
    columns,
    problems: useMemo(() => (rejected === undefined ? typed : [...typed, rejected]), [typed, rejected]),
    change: (key, row, drafts) => update((before) => withDrafts(before, { key, row }, columns, drafts)),
    revert: (key, column) => update((before) => withoutDraft(before, key, column, columns)),
    add: (like) => {
      added.current += 1;
      const key = `new ${added.current}`;
      setChecked(false);
      update((before) => withNewRow(before, key, columns, like, info.primary_key ?? []));
    },
    remove: (key) => update((before) => withoutRow(before, key)),
    discard: () => update(() => noChanges),
    save: (isOver = false) => {
      setChecked(true);
      if (invalid.size === 0 && writes.length > 0) command.run({ writes, isOver });
    },
    failure: command.failure,
    conflict,
    isSaving: command.isPending,
  };
}

/** Cells of a new row that were not changed are not checked before the first attempt to save. */
function problemsOf(
  key: string,
  found: Readonly<Record<string, string>>,
  pending: PendingRows,
  columns: readonly ColumnInfo[],
  isChecked: boolean,
): readonly RowProblem[] {
  const row = pending.get(key);
  const initial = newDrafts(columns);
  const isUntouched = (column: string): boolean =>
    row?.row === undefined && row?.drafts[column]?.text === initial[column]?.text;
  return Object.entries(found)
    .filter(([column]) => isChecked || !isUntouched(column))
    .map(([column, message]) => ({ key, column, message }));
}

/** Returns the row and the column that an error of the service is about. */
function rejectionOf(
  failure: Failure | undefined,
  saving: Saving | undefined,
  columns: readonly ColumnInfo[],
): RowProblem | undefined {
  const index = /^\$\.args\[(\d+)\]/.exec(failure?.path ?? '')?.[1];
  const key = index === undefined ? undefined : saving?.writes[Number(index)]?.key;
  if (failure === undefined || key === undefined) return undefined;
  return { key, column: columnOfProblem(failure.message, columns), message: failure.message };
}
