/** The sort order of a list and its query parameter. Pure. */

export interface Sorting {
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

/** Returns the order after a click on a column: the sorted column is reversed, another one sorts ascending. */
export function turned(sorting: Sorting | undefined, by: string): Sorting {
  return { by, direction: sorting?.by === by && sorting.direction === 'asc' ? 'desc' : 'asc' };
}

/** Returns `tries`, or `-tries` for descending order. */
export function writeSorting({ by, direction }: Sorting): string {
  return direction === 'asc' ? by : `-${by}`;
}

/** Undefined when the text names none of the columns. */
export function readSorting(text: string | null, columns: readonly string[]): Sorting | undefined {
  if (text === null) return undefined;
  const by = text.replace(/^-/, '');
  if (!columns.includes(by)) return undefined;
  return { by, direction: text.startsWith('-') ? 'desc' : 'asc' };
}
