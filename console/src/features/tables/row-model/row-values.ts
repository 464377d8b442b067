/** Formats and parses column values. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { jsonProblem, parseExactly } from '../../../api/exact-json.ts';
import { familyOf } from './column-family.ts';

/** A row. Numbers beyond a double are raw JSON, see `parseExactly`. */
export type Row = Readonly<Record<string, unknown>>;

export function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

/** Whether a value is a scalar. Raw JSON numbers are objects at run time. */
export function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || /^-?\d/.test(JSON.stringify(value));
}

/** Formats a value on one line: text unchanged, other values as JSON. */
export function shortText(value: unknown): string {
  if (isNull(value)) return 'null';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the text of the input. */
function editableText(value: unknown, column: ColumnInfo): string {
  if (isNull(value)) return '';
  if (typeof value === 'string' && familyOf(column) !== 'json') return value;
  return familyOf(column) === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

export type ParsedValue = { readonly value: unknown } | { readonly problem: string };

/** Parses text for a column. */
export function parseValue(text: string, column: ColumnInfo): ParsedValue {
  const trimmed = text.trim();
  switch (familyOf(column)) {
    case 'integer':
      return /^-?\d+$/.test(trimmed) ? { value: numberOf(trimmed) } : { problem: 'Must be a whole number.' };
    case 'number':
      if (/^-?(nan|infinity)$/i.test(trimmed)) return { value: trimmed };
      return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(trimmed)
        ? { value: numberOf(trimmed) }
        : { problem: 'Must be a number, such as 12.5.' };
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false'
        ? { value: trimmed === 'true' }
        : { problem: 'Must be true or false.' };
    case 'json': {
      const problem = jsonProblem(text);
      return problem === undefined ? { value: parseExactly(text) } : { problem: `No JSON: ${problem}` };
    }
    case 'array':
      return readList(trimmed);
    case 'uuid':
    case 'time':
    case 'enum':
      return trimmed === '' ? { problem: 'Must not be empty.' } : { value: trimmed };
    case 'text':
    case 'other':
      return { value: text };
  }
}

/** JSON has no leading zeros. */
function numberOf(text: string): unknown {
  return parseExactly(text.replace(/^(-?)0+(?=\d)/, '$1'));
}

function readList(text: string): ParsedValue {
  const problem: ParsedValue = { problem: 'Must be a list in JSON, such as ["a", "b"].' };
  if (jsonProblem(text) !== undefined) return problem;
  const value = parseExactly(text);
  return Array.isArray(value) ? { value } : problem;
}

/** State of an input. `default` uses the database default. */
export interface FieldDraft {
  readonly mode: 'value' | 'null' | 'default';
  readonly text: string;
}

export type Drafts = Readonly<Record<string, FieldDraft>>;

/** Returns the initial inputs of a new row. */
export function newDrafts(columns: readonly ColumnInfo[]): Drafts {
  return Object.fromEntries(
    columns.map((column) => {
      const mode = column.has_default || column.identity !== null ? 'default' : column.nullable ? 'null' : 'value';
      return [column.name, { mode, text: '' }];
    }),
  );
}

export function draftsOf(row: Row, columns: readonly ColumnInfo[]): Drafts {
  return Object.fromEntries(
    columns.map((column) => {
      const value = row[column.name];
      return [column.name, { mode: isNull(value) ? 'null' : 'value', text: editableText(value, column) }];
    }),
  );
}

export type Written =
  | { readonly row: Row }
  /** Validation errors by column. */
  | { readonly problems: Readonly<Record<string, string>> };

/** Returns the members to write. For an existing row those that differ from `before`. */
export function writtenRow(drafts: Drafts, columns: readonly ColumnInfo[], before: Drafts | undefined): Written {
  const row: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const column of columns) {
    const draft = drafts[column.name];
    const old = before?.[column.name];
    if (draft === undefined || draft.mode === 'default') continue;
    if (old !== undefined && old.mode === draft.mode && (draft.mode === 'null' || old.text === draft.text)) continue;
    if (draft.mode === 'null') {
      row[column.name] = null;
      continue;
    }
    const typed = parseValue(draft.text, column);
    if ('problem' in typed) problems[column.name] = typed.problem;
    else row[column.name] = typed.value;
  }
  return Object.keys(problems).length > 0 ? { problems } : { row };
}

/** Returns the column that a database error names. */
export function columnOfProblem(message: string, columns: readonly ColumnInfo[]): string | undefined {
  const named = /column "([^"]+)"/.exec(message)?.[1];
  return columns.find(({ name }) => name === named)?.name;
}
