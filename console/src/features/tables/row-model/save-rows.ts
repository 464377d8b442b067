/** Saves changes of rows together, and detects changes of other users by the old values. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import type { Client } from '../../../api/client.ts';
import { Failure } from '../../../api/failure.ts';
import type { RowWrite } from './pending-rows.ts';
import { changedSince, RowConflict, type RowDifference, unchangedConditions } from './row-conflict.ts';
import type { Row } from './row-values.ts';
import { type RowChange, readRow, type Target, writeRows } from './rows-api.ts';

interface Saving {
  readonly client: Client;
  readonly target: Target;
  readonly columns: readonly ColumnInfo[];
  /** Returns the primary key of a row. */
  readonly keyOf: (row: Row) => Row;
  /** Whether to overwrite changes of other users. */
  readonly isOver: boolean;
}

/**
 * Saves all rows or none. Throws RowConflict when columns to save were changed by another user, unless `isOver`, and
 * Failure, whose path begins with the index of the row: `$.args[2]`.
 */
export async function saveRows(writes: readonly RowWrite[], saving: Saving): Promise<void> {
  const { client, target, columns, isOver } = saving;
  // Columns without equality in PostgreSQL are compared here.
  const unequal = isOver ? [] : writes.filter((write) => !isCompared(write, columns));
  if (unequal.length > 0) await rejectChanged(unequal, saving);
  const changesOf = (isConditional: boolean): readonly RowChange[] =>
    writes.map((write) => changeOf(write, saving, isConditional));
  try {
    await writeRows(client, target, changesOf(!isOver));
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'conflict') throw error;
    await rejectChanged(writes, saving);
    // The values are equal, but not by the equality operator, as for some domains and collations.
    await writeRows(client, target, changesOf(false));
  }
}

function isCompared({ row, values, defaults }: RowWrite, columns: readonly ColumnInfo[]): boolean {
  const names = [...Object.keys(values), ...defaults];
  return row === undefined || unchangedConditions(row, names, columns).length === names.length;
}

function changeOf({ row, values, defaults }: RowWrite, { columns, keyOf }: Saving, isConditional: boolean): RowChange {
  if (row === undefined) return { kind: 'insert', values };
  const conditions = isConditional ? unchangedConditions(row, [...Object.keys(values), ...defaults], columns) : [];
  return { kind: 'update', key: keyOf(row), values, defaults, conditions };
}

async function rejectChanged(writes: readonly RowWrite[], { client, target, keyOf }: Saving): Promise<void> {
  const differences: RowDifference[] = [];
  for (const { key, row, values, defaults } of writes) {
    if (row === undefined) continue;
    const names = [...Object.keys(values), ...defaults];
    const present = await readRow(client, target, keyOf(row), names);
    if (present === undefined) {
      const message = `the row ${Object.values(keyOf(row)).map(String).join(', ')} does not exist any more: it was deleted or its key was changed; nothing was saved`;
      throw new Failure({ code: 'not-exists', message });
    }
    const changed = changedSince(row, present, names);
    if (Object.keys(changed).length > 0) differences.push({ key, row, present: changed });
  }
  if (differences.length > 0) throw new RowConflict(differences);
}
