/** Values of a file as JSON values for columns, checked before they are sent. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { type Family, familyOf } from '../row-model/column-family.ts';
import { isNull, isPlain, type ParsedValue, parseValue, shortText } from '../row-model/row-values.ts';
import { emptyField } from './file-records.ts';

/** The value of an empty field of CSV without quotes. */
export type EmptyChoice = 'null' | 'text' | 'default';

interface ValueOptions {
  readonly empty: EmptyChoice;
  /** Whether the file has texts only, which are parsed by the type of the column. */
  readonly isText: boolean;
}

/** Returns the value to write, or why there is none. `undefined` is the default of the column. */
export function importedValue(value: unknown, column: ColumnInfo, options: ValueOptions): ParsedValue {
  const read = value === emptyField ? emptyValue(column, options.empty) : value;
  if (read === undefined) return missing(column, undefined);
  if (isNull(read)) return missing(column, null);
  if (typeof read !== 'string') return jsonValue(read, column);
  return textValue(read, column, options.isText);
}

function emptyValue(column: ColumnInfo, empty: EmptyChoice): unknown {
  if (empty === 'default') return undefined;
  // Other types have no empty text.
  return empty === 'text' && isTextual(familyOf(column)) ? '' : null;
}

function isTextual(family: Family): boolean {
  return family === 'text' || family === 'other';
}

function missing(column: ColumnInfo, value: null | undefined): ParsedValue {
  if (column.nullable) return { value };
  const hasDefault = column.has_default || column.identity !== null;
  if (value === undefined && hasDefault) return { value };
  return { problem: value === null ? 'Must not be null.' : 'Has no value, and the column has no default.' };
}

function textValue(text: string, column: ColumnInfo, isText: boolean): ParsedValue {
  const family = familyOf(column);
  if (family === 'boolean') return booleanValue(text);
  if (family === 'json') return isText ? parseValue(text, column) : { value: text };
  // A list as PostgreSQL prints it, such as {a,b}.
  if (family === 'array') return text.trim().startsWith('{') ? { value: text.trim() } : parseValue(text, column);
  if (family === 'uuid' && !uuid.test(text.trim())) return { problem: 'Must be a UUID.' };
  if (family === 'enum' && column.values?.includes(text.trim()) === false) {
    return { problem: `Must be one of ${column.values.slice(0, 10).join(', ')}.` };
  }
  const read = parseValue(text, column);
  return 'problem' in read ? read : inRange(read.value, column);
}

const uuid = /^\{?[0-9a-f]{4}(-?[0-9a-f]{4}){7}\}?$/i;

const booleans: Readonly<Record<string, boolean>> = {
  ...{ true: true, t: true, yes: true, y: true, on: true, 1: true },
  ...{ false: false, f: false, no: false, n: false, off: false, 0: false },
};

function booleanValue(text: string): ParsedValue {
  const value = booleans[text.trim().toLowerCase()];
  return value === undefined ? { problem: 'Must be true or false.' } : { value };
}

function jsonValue(value: unknown, column: ColumnInfo): ParsedValue {
  const family = familyOf(column);
  if (family === 'json') return { value };
  if (family === 'array') return Array.isArray(value) ? { value } : { problem: 'Must be a list.' };
  if (!isPlain(value)) return { problem: 'Must not be a list or an object.' };
  if (family === 'boolean') return typeof value === 'boolean' ? { value } : { problem: 'Must be true or false.' };
  if (isTextual(family)) return { value: shortText(value) };
  return textValue(shortText(value), column, true);
}

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
};

function inRange(value: unknown, { type, base_type, sql_type }: ColumnInfo): ParsedValue {
  const range = ranges[base_type ?? type];
  if (range === undefined) return { value };
  const number = BigInt(JSON.stringify(value));
  return number >= range[0] && number <= range[1] ? { value } : { problem: `Is out of the range of ${sql_type}.` };
}
