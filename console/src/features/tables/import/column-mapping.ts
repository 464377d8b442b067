/** Which column of the file each column of the table gets its values from. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { isReadable } from '../row-model/column-family.ts';

/** Columns of the file by column of the table. A column without one gets its default. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** Returns the columns that can be written. */
export function importable(columns: readonly ColumnInfo[]): readonly ColumnInfo[] {
  return columns.filter((column) => column.writable && isReadable(column));
}

/** Maps columns with equal names. Case and separators are ignored where no name is equal. */
export function suggestedMapping(columns: readonly ColumnInfo[], names: readonly string[]): ColumnMapping {
  const bySimpleName = new Map(names.toReversed().map((name) => [simple(name), name]));
  const pairs = columns.flatMap(({ name }): readonly (readonly [string, string])[] => {
    const found = names.includes(name) ? name : bySimpleName.get(simple(name));
    return found === undefined ? [] : [[name, found]];
  });
  return Object.fromEntries(pairs);
}

function simple(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the columns that have neither a value nor a default. */
export function missingColumns(columns: readonly ColumnInfo[], mapping: ColumnMapping): readonly string[] {
  return columns
    .filter(({ name, nullable, has_default, identity }) => {
      return mapping[name] === undefined && !nullable && !has_default && identity === null;
    })
    .map(({ name }) => name);
}

/** Returns the columns of the file that no column of the table uses. */
export function unusedNames(names: readonly string[], mapping: ColumnMapping): readonly string[] {
  const used = new Set(Object.values(mapping));
  return names.filter((name) => !used.has(name));
}
