/** Results of statements as CSV and JSON. Pure. */
import type { StatementResult } from '@joinery/metadata/api/sources/run-sql';
import { unparse } from 'papaparse';

type Rows = Pick<StatementResult, 'columns' | 'rows'>;

/** Returns RFC 4180 text with a header. SQL null is an empty field, an empty text is quoted. */
export function csvOf({ columns, rows }: Rows): string {
  // Quotes of empty texts distinguish them from null, as those of PostgreSQL's COPY do.
  const quotes = (value: unknown): boolean => value === '';
  return unparse({ fields: columns.map(({ name }) => name), data: rows.map((row) => [...row]) }, { quotes });
}

/** Returns an array of objects; of arrays, with the names as the first one, where two columns have one name. */
export function jsonOf({ columns, rows }: Rows): string {
  const names = columns.map(({ name }) => JSON.stringify(name));
  const values = rows.map((row) => row.map((value, place) => jsonValue(value, columns[place]?.type ?? '')));
  const hasUniqueNames = new Set(names).size === names.length;
  const lines = hasUniqueNames
    ? values.map((row) => `{${row.map((value, place) => `${names[place]}: ${value}`).join(', ')}}`)
    : [names, ...values].map((row) => `[${row.join(', ')}]`);
  return `[\n${lines.map((line) => `  ${line}`).join(',\n')}\n]\n`;
}

/** A number without the infinities and NaN, which JSON does not have. */
const number = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** Returns a value of PostgreSQL as JSON text. Digits of numbers are preserved. */
function jsonValue(value: string | null, type: string): string {
  if (value === null) return 'null';
  if (type === 'boolean') return value === 't' || value === 'true' ? 'true' : 'false';
  if ((type === 'json' || type === 'jsonb') && isJson(value)) return value;
  if (isNumberType(type) && number.test(value)) return value;
  return JSON.stringify(value);
}

export function isNumberType(type: string): boolean {
  return /^(smallint|integer|bigint|numeric|real|double precision|oid)$/.test(type);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Saves a text as a file of the browser. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
