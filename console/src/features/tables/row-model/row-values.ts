/** Values of rows: how they are shown, and what is typed for them. Pure. */
import { jsonProblem, parseExactly } from '../../../api/exact-json.ts';
import type { ColumnInfo } from '../../../shared/sources/sources-api.ts';
import { familyOf } from './column-family.ts';

/** Numbers with too many digits for JavaScript are raw JSON in it, see `parseExactly`. */
export type Row = Readonly<Record<string, unknown>>;

export function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

/** One value, no list or object: a number with more digits than JavaScript holds looks like an object. */
export function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || /^-?\d/.test(JSON.stringify(value));
}

/** On one line: text as it is, everything else as JSON. */
export function shortText(value: unknown): string {
  if (isNull(value)) return 'null';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As it stands in the field that edits it. */
export function editableText(value: unknown, column: ColumnInfo): string {
  if (isNull(value)) return '';
  if (typeof value === 'string' && familyOf(column) !== 'json') return value;
  return familyOf(column) === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

export type ParsedValue = { readonly value: unknown } | { readonly problem: string };

/** The JSON value that the text means for the column. */
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

/** What a field of the form holds; `default` leaves the column to the database. */
export interface FieldDraft {
  readonly mode: 'value' | 'null' | 'default';
  readonly text: string;
}

export type Drafts = Readonly<Record<string, FieldDraft>>;

/** Of a new row: the database fills what it can. */
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
  /** By column, what is wrong with what was typed. */
  | { readonly problems: Readonly<Record<string, string>> };

/** The members to write: of an edited row those that differ from `before`. */
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

/** The column that a refusal of the database names. */
export function columnOfProblem(message: string, columns: readonly ColumnInfo[]): string | undefined {
  const named = /column "([^"]+)"/.exec(message)?.[1];
  return columns.find(({ name }) => name === named)?.name;
}
