/** The difference between the rows before and after a change. Pure. */
import { isJsonObject } from '../../../api/json.ts';

export interface ColumnDifference {
  readonly column: string;
  readonly isChanged: boolean;
  /** JSON text. Undefined where the row does not have the column. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Returns the columns of both rows, the changed ones first, each part in the order of the new row. Undefined where one
 * of them is no row.
 */
export function differenceOf(before: unknown, after: unknown): readonly ColumnDifference[] | undefined {
  if (!isJsonObject(before) || !isJsonObject(after)) return undefined;
  const columns = [...new Set([...Object.keys(after), ...Object.keys(before)])].map((column): ColumnDifference => {
    const [old, next] = [textOf(before, column), textOf(after, column)];
    return { column, isChanged: old !== next, before: old, after: next };
  });
  return columns.toSorted((one, other) => Number(other.isChanged) - Number(one.isChanged));
}

function textOf(row: Readonly<Record<string, unknown>>, column: string): string | undefined {
  return Object.hasOwn(row, column) ? JSON.stringify(row[column]) : undefined;
}
