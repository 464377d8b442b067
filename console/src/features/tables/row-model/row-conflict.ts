/** Detects that another user has changed a row since it was opened, by the old values of the saved columns. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { Failure } from '../../../api/failure.ts';
import { familyOf } from './column-family.ts';
import { isNull, type Row } from './row-values.ts';

/** A row that another user has changed. */
export interface RowDifference {
  /** Identifies the row in the grid. */
  readonly key: string;
  /** The row when its first change was made. */
  readonly row: Row;
  /** Current values of the columns that differ. */
  readonly present: Row;
}

/** Thrown when columns to save were changed by another user. */
export class RowConflict extends Failure {
  readonly differences: readonly RowDifference[];

  constructor(differences: readonly RowDifference[]) {
    const names = [...new Set(differences.flatMap(({ present }) => Object.keys(present)))].join(', ');
    const rows = differences.length === 1 ? 'the row was' : `${differences.length} rows were`;
    super({ code: 'conflict', message: `${rows} changed by another user: ${names}; nothing was saved` });
    this.differences = differences;
  }
}

/** Whether the type has an equality operator. json, xml and most geometric types have none. */
export function isComparable(column: ColumnInfo): boolean {
  if (column.type.endsWith('[]')) return isComparable({ ...column, type: column.type.slice(0, -2) });
  const family = familyOf(column);
  return family === 'json' ? (column.base_type ?? column.type) === 'jsonb' : family !== 'other';
}

/** Returns conditions that the comparable columns in `names` still have the values of `row`. */
export function unchangedConditions(
  row: Row,
  names: readonly string[],
  columns: readonly ColumnInfo[],
): readonly object[] {
  return columns
    .filter((column) => names.includes(column.name) && isComparable(column))
    .map(({ name }) => ({ [name]: isNull(row[name]) ? { $is_null: true } : { $eq: row[name] } }));
}

/** Returns the current values of the columns in `names` that differ from `row`. */
export function changedSince(row: Row, present: Row, names: readonly string[]): Row {
  const differs = (name: string): boolean =>
    JSON.stringify(row[name] ?? null) !== JSON.stringify(present[name] ?? null);
  return Object.fromEntries(names.filter(differs).map((name) => [name, present[name]]));
}
