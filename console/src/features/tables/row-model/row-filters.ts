/** Row filters: operators by column type, query parameter and condition. Pure. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { type Family, familyOf } from './column-family.ts';
import { parseValue } from './row-values.ts';

export interface Filter {
  readonly column: string;
  readonly operator: Operator;
  /** Ignored when the operator takes no value. */
  readonly text: string;
}

const operators = {
  eq: { label: '=', takes: 'value' },
  neq: { label: '≠', takes: 'value' },
  lt: { label: '<', takes: 'value' },
  lte: { label: '≤', takes: 'value' },
  gt: { label: '>', takes: 'value' },
  gte: { label: '≥', takes: 'value' },
  in: { label: 'is one of', takes: 'list' },
  holds: { label: 'contains', takes: 'text' },
  begins: { label: 'begins with', takes: 'text' },
  regex: { label: 'matches regex', takes: 'text' },
  contains: { label: 'contains', takes: 'value' },
  has_key: { label: 'has key', takes: 'text' },
  null: { label: 'is null', takes: 'nothing' },
  not_null: { label: 'is not null', takes: 'nothing' },
} as const;

export type Operator = keyof typeof operators;

const compared: readonly Operator[] = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in'];
const nulls: readonly Operator[] = ['null', 'not_null'];

const fitting: Readonly<Record<Family, readonly Operator[]>> = {
  integer: compared,
  number: compared,
  time: compared,
  uuid: ['eq', 'neq', 'in'],
  boolean: ['eq', 'neq'],
  enum: ['eq', 'neq', 'in'],
  text: ['holds', 'begins', 'eq', 'neq', 'in', 'regex', 'lt', 'gt'],
  json: ['contains', 'has_key', 'eq'],
  array: ['contains', 'eq', 'neq'],
  other: ['eq', 'neq'],
};

/** Types that are entered as JSON but have other operators than jsonb. */
const ofTypes: Readonly<Record<string, readonly Operator[]>> = { json: [], hstore: ['eq', 'neq'] };

export function operatorsFor(column: ColumnInfo): readonly Operator[] {
  const own = ofTypes[column.base_type ?? column.type] ?? fitting[familyOf(column)];
  return [...own, ...(column.nullable ? nulls : [])];
}

export function operatorLabel(operator: Operator): string {
  return operators[operator].label;
}

export function takesValue(operator: Operator): boolean {
  return operators[operator].takes !== 'nothing';
}

export function describeFilter({ column, operator, text }: Filter): string {
  return `${column} ${operatorLabel(operator)}${takesValue(operator) ? ` ${text === '' ? '""' : text}` : ''}`;
}

/** Returns the validation error of a filter, or undefined. */
export function filterProblem(filter: Filter, columns: readonly ColumnInfo[]): string | undefined {
  const written = writeFilter(filter, columns);
  return 'problem' in written ? written.problem : undefined;
}

type WrittenFilter = { readonly test: object } | { readonly problem: string };

function writeFilter({ column: name, operator, text }: Filter, columns: readonly ColumnInfo[]): WrittenFilter {
  const column = columns.find((one) => one.name === name);
  if (column === undefined) return { problem: `There is no column ${name}.` };
  const test = (written: string, value: unknown): WrittenFilter => ({ test: { [name]: { [written]: value } } });
  switch (operator) {
    case 'null':
    case 'not_null':
      return test('_is_null', operator === 'null');
    case 'holds':
      return test('_ilike', `%${escaped(text)}%`);
    case 'begins':
      return test('_ilike', `${escaped(text)}%`);
    case 'regex':
      return test('_regex', text);
    case 'has_key':
      return test('_has_key', text);
    case 'in': {
      const items = text.split(',').map((item) => parseValue(item.trim(), column));
      const problem = items.find((item) => 'problem' in item);
      if (problem !== undefined && 'problem' in problem) return problem;
      return test(
        '_in',
        items.flatMap((item) => ('value' in item ? [item.value] : [])),
      );
    }
    default: {
      const typed = parseValue(text, column);
      return 'problem' in typed ? typed : test(`_${operator}`, typed.value);
    }
  }
}

/** Escapes a LIKE pattern. */
function escaped(text: string): string {
  return text.replace(/[\\%_]/g, String.raw`\$&`);
}

/** Returns the condition. Filters that do not apply to the columns are ignored. */
export function whereOf(filters: readonly Filter[], columns: readonly ColumnInfo[]): object {
  const tests = filters.flatMap((filter) => {
    const written = writeFilter(filter, columns);
    return 'test' in written ? [written.test] : [];
  });
  return tests.length === 0 ? {} : { $and: tests };
}

/** Returns the query parameter, such as `[["id","eq","7"]]`. Undefined without filters. */
export function printFilters(filters: readonly Filter[]): string | undefined {
  if (filters.length === 0) return undefined;
  return JSON.stringify(filters.map(({ column, operator, text }) => [column, operator, text]));
}

/** Parses the query parameter. Invalid filters are ignored. */
export function parseFilters(text: string | null): readonly Filter[] {
  if (text === null) return [];
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read.flatMap(parseFilter) : [];
  } catch {
    return [];
  }
}

function parseFilter(read: unknown): readonly Filter[] {
  if (!Array.isArray(read)) return [];
  const [column, operator, text] = read as readonly unknown[];
  if (typeof column !== 'string' || typeof text !== 'string') return [];
  return typeof operator === 'string' && Object.hasOwn(operators, operator)
    ? [{ column, operator: operator as Operator, text }]
    : [];
}
