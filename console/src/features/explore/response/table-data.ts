/** Lists of objects in a response as tables. Pure. */
import { isJsonObject } from '../../../api/json.ts';

export interface TableData {
  /** Path of the list in the data, such as `customer` or `customer.0.purchases`. */
  readonly path: string;
  /** In the order of their first use. */
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Finds the lists of objects in `data`, those that are not in another list first. */
export function tablesIn(body: unknown): readonly TableData[] {
  const data = isJsonObject(body) ? body.data : undefined;
  const found: TableData[] = [];
  collect(data, [], found);
  return found;
}

/** A list of objects is not searched further: the objects show what is in them. */
function collect(value: unknown, path: readonly string[], found: TableData[]): void {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isJsonObject)) found.push(tableOf(value, path.join('.')));
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) collect(member, [...path, name], found);
}

function tableOf(rows: readonly Readonly<Record<string, unknown>>[], path: string): TableData {
  const columns = new Set<string>();
  const flat = rows.map((row) => flattened(row));
  for (const row of flat) for (const name of Object.keys(row)) columns.add(name);
  return { path, columns: [...columns], rows: flat };
}

/** Members of nested objects become columns such as `customer.name`. */
function flattened(value: Readonly<Record<string, unknown>>, prefix = ''): Record<string, unknown> {
  const flat: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (isPlainObject(member)) Object.assign(flat, flattened(member, `${prefix}${name}.`));
    else flat[`${prefix}${name}`] = member;
  }
  return flat;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && Object.keys(value).length > 0;
}

/** Returns the text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.length === 0 ? '[]' : JSON.stringify(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Tab-separated text with a header, as spreadsheets paste it. */
export function tabSeparated({ columns, rows }: TableData): string {
  const cell = (value: unknown): string => {
    const text = value === null ? '' : cellText(value);
    return /[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns.join('\t'), ...rows.map((row) => columns.map((name) => cell(row[name])).join('\t'))].join('\n');
}
