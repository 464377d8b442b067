/** Related and sorted rows in memory. */

import { storedName } from './inherited.ts';
import type { Direction, Term } from './request.ts';
import type { Reference, Row, VisibleRows } from './tables.ts';

export function relatedRows({ table, on }: Reference, row: Row, visible: VisibleRows): readonly Row[] {
  const pairs = Object.entries(on);
  return (visible[table] ?? []).filter((other) =>
    pairs.every(([here, there]) => keyPart(row, here) !== null && keyPart(row, here) === keyPart(other, there)),
  );
}

/** Returns the stored value: relationships within a source do not depend on the visibility of their keys. */
function keyPart(row: Row, column: string): unknown {
  return row[storedName(column)] ?? row[column];
}

interface Key {
  readonly value: unknown;
  readonly direction: Direction;
}

export function sortRows(rows: readonly Row[], terms: readonly Term[], visible: VisibleRows): readonly Row[] {
  const keyed = rows.map((row) => ({ row, keys: terms.map((term) => keyOf(term, row, visible)) }));
  keyed.sort((one, other) => {
    for (const [index, key] of one.keys.entries()) {
      const difference = compareKeys(key, other.keys[index]?.value);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

/** Returns the key of a row. The keys of aggregates of a missing row are null, also of `count`. */
function keyOf({ by, direction }: Term, row: Row | undefined, visible: VisibleRows): Key {
  switch (by.kind) {
    case 'column':
      return { value: row?.[by.column] ?? null, direction };
    case 'object': {
      const [found] = row === undefined ? [] : relatedRows(by.reference, row, visible);
      return keyOf(by.term, found, visible);
    }
    case 'count': {
      const value = row === undefined ? null : relatedRows(by.reference, row, visible).length;
      return { value, direction: by.direction };
    }
    case 'extreme': {
      const values = row === undefined ? [] : relatedRows(by.reference, row, visible).map((other) => other[by.column]);
      return { value: extreme(values, by.what), direction: by.direction };
    }
    default:
      return by satisfies never;
  }
}

export function extreme(values: readonly unknown[], what: 'min' | 'max'): unknown {
  const sorted = values.filter((value) => value !== null).sort(compareValues);
  return (what === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
}

/** Compares sort keys. By default, nulls are last in ascending and first in descending order. */
function compareKeys({ value, direction }: Key, other: unknown): number {
  const descending = direction.startsWith('desc');
  const nullsFirst = direction.endsWith('first') || direction === 'desc';
  if (value === null || other === null) {
    if (value === other) return 0;
    return (value === null) === nullsFirst ? -1 : 1;
  }
  const difference = compareValues(value, other);
  return descending ? -difference : difference;
}

/** Compares numbers, booleans, and strings by their bytes. Dates are strings in one time zone. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return Number(one) - Number(other);
}
