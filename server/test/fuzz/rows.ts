/** Rows in memory: behind a relationship, and in an order. */

import { storedName } from './inherited.ts';
import type { Direction, Term } from './request.ts';
import type { Reference, Row, Seen } from './world.ts';

export function relatedRows({ table, on }: Reference, row: Row, seen: Seen): readonly Row[] {
  const pairs = Object.entries(on);
  return (seen[table] ?? []).filter((other) =>
    pairs.every(([here, there]) => keyPart(row, here) !== null && keyPart(row, here) === keyPart(other, there)),
  );
}

/** The stored value: relationships within a source are followed whether the caller sees their keys or not. */
function keyPart(row: Row, column: string): unknown {
  return row[storedName(column)] ?? row[column];
}

interface Key {
  readonly value: unknown;
  readonly direction: Direction;
}

export function sortRows(rows: readonly Row[], terms: readonly Term[], seen: Seen): readonly Row[] {
  const keyed = rows.map((row) => ({ row, keys: terms.map((term) => keyOf(term, row, seen)) }));
  keyed.sort((one, other) => {
    for (const [index, key] of one.keys.entries()) {
      const difference = compareKeys(key, other.keys[index]?.value);
      if (difference !== 0) return difference;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

/** The key of an aggregate of no row at all is null, even of `count`. */
function keyOf({ by, direction }: Term, row: Row | undefined, seen: Seen): Key {
  switch (by.kind) {
    case 'column':
      return { value: row?.[by.column] ?? null, direction };
    case 'object': {
      const [found] = row === undefined ? [] : relatedRows(by.reference, row, seen);
      return keyOf(by.term, found, seen);
    }
    case 'count': {
      const value = row === undefined ? null : relatedRows(by.reference, row, seen).length;
      return { value, direction: by.direction };
    }
    case 'extreme': {
      const values = row === undefined ? [] : relatedRows(by.reference, row, seen).map((other) => other[by.column]);
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

/** Nulls are last where values rise and first where they fall, unless the direction says otherwise. */
function compareKeys({ value, direction }: Key, other: unknown): number {
  const falls = direction.startsWith('desc');
  const nullsFirst = direction.endsWith('first') || direction === 'desc';
  if (value === null || other === null) {
    if (value === other) return 0;
    return (value === null) === nullsFirst ? -1 : 1;
  }
  const difference = compareValues(value, other);
  return falls ? -difference : difference;
}

/** Numbers, booleans, and texts by their bytes, among which dates in one zone are. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  return Number(one) - Number(other);
}
