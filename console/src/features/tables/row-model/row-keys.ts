/** Identity of rows: key, name, links, and why rows are read-only. Pure. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { rowsPath, tableLabel } from '../../../shared/sources/table-paths.ts';
import { isReadable } from './column-family.ts';
import { isNull, type Row, shortText } from './row-values.ts';

/** Returns the primary key of a row of a table that has one. */
export function keyOfRow(row: Row, { primary_key }: Pick<TableInfo, 'primary_key'>): Row {
  return Object.fromEntries((primary_key ?? []).map((column) => [column, row[column]]));
}

/** Returns a text that identifies a row of a table with a primary key. */
export function keyText(row: Row, { primary_key }: Pick<TableInfo, 'primary_key'>): string {
  return JSON.stringify((primary_key ?? []).map((column) => row[column]));
}

/** Returns `customer 7`. Without a key, the first value identifies the row. */
export function nameOfRow(row: Row, { table, primary_key }: Pick<TableInfo, 'table' | 'primary_key'>): string {
  const values = primary_key === null ? Object.values(row).slice(0, 1) : primary_key.map((column) => row[column]);
  return `${tableLabel(table)} ${values.map(shortText).join(', ')}`;
}

/** Returns the link to the row that a foreign key column references. */
export function linkOfValue(source: string, { foreign_keys }: TableInfo, row: Row, column: string): string | undefined {
  const key = foreign_keys.find(({ columns }) => Object.hasOwn(columns, column));
  if (key === undefined) return undefined;
  const pairs = Object.entries(key.columns);
  if (pairs.some(([own]) => isNull(row[own]))) return undefined;
  return rowsPath(
    source,
    key.table,
    pairs.map(([own, there]) => [there, shortText(row[own])]),
  );
}

/** Returns why rows cannot be changed, or undefined. */
export function whyReadOnly(info: TableInfo): string | undefined {
  if (!info.insertable && !info.updatable && !info.deletable) {
    return 'Rows are read only here: PostgreSQL takes no writes to this view.';
  }
  if (info.primary_key === null) {
    return 'Rows can be read and inserted, but not edited or deleted here: without a primary key, rows cannot be identified.';
  }
  const unreadable = info.primary_key.some((name) => !isReadable({ name }));
  return unreadable
    ? 'The name of the key is one that GraphQL cannot write: rows are changed by SQL alone.'
    : undefined;
}
