/** By what a list is sorted, and how that is written in the address. Pure. */

export interface Sorting {
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

/** A click on the column that sorts turns it around; on another, that one sorts, the smallest first. */
export function turned(sorting: Sorting | undefined, by: string): Sorting {
  return { by, direction: sorting?.by === by && sorting.direction === 'asc' ? 'desc' : 'asc' };
}

/** `tries`, or `-tries` for the largest first. */
export function writeSorting({ by, direction }: Sorting): string {
  return direction === 'asc' ? by : `-${by}`;
}

/** Undefined where the text names none of the columns. */
export function readSorting(text: string | null, columns: readonly string[]): Sorting | undefined {
  if (text === null) return undefined;
  const by = text.replace(/^-/, '');
  if (!columns.includes(by)) return undefined;
  return { by, direction: text.startsWith('-') ? 'desc' : 'asc' };
}
