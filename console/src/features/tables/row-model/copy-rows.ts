/** Rows as text to copy: JSON, CSV and SQL. Pure. */
import type { ColumnInfo, TableInfo } from '@joinery/metadata/api/sources/catalog';
import { printPretty } from '../../../api/exact-json.ts';
import { isNull, type Row } from './row-values.ts';

export const copyFormats = ['JSON', 'CSV', 'SQL insert'] as const;
export type CopyFormat = (typeof copyFormats)[number];

/** Returns the rows with `columns` in their order. */
export function copyText(
  format: CopyFormat,
  rows: readonly Row[],
  columns: readonly ColumnInfo[],
  { table }: Pick<TableInfo, 'table'>,
): string {
  switch (format) {
    case 'JSON':
      return jsonText(rows, columns);
    case 'CSV':
      return csvText(rows, columns);
    case 'SQL insert':
      return insertText(rows, columns, table);
    default:
      return format satisfies never;
  }
}

function jsonText(rows: readonly Row[], columns: readonly ColumnInfo[]): string {
  return printPretty(rows.map((row) => withColumns(row, columns)));
}

/** Returns the values of `columns` in their order. */
export function withColumns(row: Row, columns: readonly ColumnInfo[]): Row {
  return Object.fromEntries(columns.map(({ name }): [string, unknown] => [name, row[name] ?? null]));
}

function csvText(rows: readonly Row[], columns: readonly ColumnInfo[]): string {
  return csvHeader(columns) + csvLines(rows, columns);
}

export function csvHeader(columns: readonly ColumnInfo[]): string {
  return `${columns.map(({ name }) => csvField(name)).join(',')}\n`;
}

/** Null is an empty field, the empty text is `""`, as `COPY` of PostgreSQL reads them. */
export function csvLines(rows: readonly Row[], columns: readonly ColumnInfo[]): string {
  return rows
    .map((row) => columns.map(({ name }) => (isNull(row[name]) ? '' : csvField(plainText(row[name])))))
    .map((fields) => `${fields.join(',')}\n`)
    .join('');
}

function csvField(text: string): string {
  return text === '' || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Columns that only the database writes are left out. */
export function insertText(rows: readonly Row[], columns: readonly ColumnInfo[], table: TableInfo['table']): string {
  const written = columns.filter(({ writable }) => writable);
  const names = written.map(({ name }) => quoted(name)).join(', ');
  const values = rows.map((row) => `  (${written.map((column) => literal(row[column.name], column)).join(', ')})`);
  return `insert into ${quoted(table.schema)}.${quoted(table.name)} (${names}) values\n${values.join(',\n')};\n`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(value: unknown, { type, sql_type, base_type }: ColumnInfo): string {
  if (isNull(value)) return 'null';
  if (typeof value === 'boolean') return String(value);
  const family = base_type ?? type;
  if (Array.isArray(value) && family.endsWith('[]')) return `${quotedText(arrayText(value))}::${sql_type}`;
  if (typeof value === 'string' && family !== 'json' && family !== 'jsonb') return quotedText(value);
  const text = JSON.stringify(value);
  if (/^-?\d/.test(text) && family !== 'json' && family !== 'jsonb') return text;
  if (family === 'geometry' || family === 'geography') return `st_geomfromgeojson(${quotedText(text)})`;
  if (family === 'hstore' && typeof value === 'object' && value !== null)
    return `${quotedText(hstoreText(value))}::hstore`;
  return `${quotedText(text)}::${sql_type}`;
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function arrayText(values: readonly unknown[]): string {
  const items = values.map((value) => {
    if (isNull(value)) return 'null';
    return Array.isArray(value) ? arrayText(value) : inQuotes(plainText(value));
  });
  return `{${items.join(',')}}`;
}

function hstoreText(value: object): string {
  return Object.entries(value)
    .map(([key, item]) => `${inQuotes(key)}=>${isNull(item) ? 'null' : inQuotes(plainText(item))}`)
    .join(',');
}

function inQuotes(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}
