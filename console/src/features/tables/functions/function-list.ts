/** The functions of the database with their use in GraphQL, and their search. Pure. */
import type { SourceFunction } from '@joinery/metadata/api/sources/catalog';
import type { ComputedField, TableEntry } from '../../../shared/sources/sources-api.ts';
import { sameTable, type TableName, tableKey, tableLabel } from '../../../shared/sources/table-paths.ts';
import type { DatabaseFunction } from './functions-api.ts';

export type FunctionState = 'tracked' | 'trackable' | 'field' | 'other';

export interface ListedFunction {
  readonly called: DatabaseFunction;
  readonly state: FunctionState;
  /** Why it cannot be tracked. */
  readonly problem?: string;
  /** Computed fields that call it: `initial of author`. */
  readonly fields: readonly string[];
}

export interface FunctionSearch {
  readonly text: string;
  readonly state: 'all' | FunctionState;
  readonly schema: string | undefined;
}

export function listFunctions(
  found: readonly DatabaseFunction[],
  returningRows: readonly SourceFunction[],
  tables: readonly TableEntry[],
): readonly ListedFunction[] {
  const byName = new Map(returningRows.map((one) => [tableKey(one), one]));
  const fields = tables.flatMap(({ table, computed_fields = [] }) =>
    computed_fields.map((field) => ({ called: functionOf(field), label: `${field.name} of ${tableLabel(table)}` })),
  );
  return found.map((called) => {
    const own = fields.filter((field) => sameTable(field.called, called)).map(({ label }) => label);
    const exposed = byName.get(tableKey(called));
    if (exposed?.tracked === true) return { called, state: 'tracked', fields: own };
    const problem = exposed === undefined ? problemOf(called) : exposed.problem;
    if (problem === undefined) return { called, state: 'trackable', fields: own };
    return { called, state: own.length > 0 ? 'field' : 'other', problem, fields: own };
  });
}

function problemOf({ result }: DatabaseFunction): string {
  if (result === null) return 'it is a procedure';
  if (result === 'trigger') return 'triggers call it';
  return `it returns ${result}, not rows of a table`;
}

/** Returns the function of a computed field. */
export function functionOf({ definition }: ComputedField): TableName {
  const { function: called } = definition;
  if (typeof called === 'string') return { schema: 'public', name: called };
  return { schema: called.schema ?? 'public', name: called.name };
}

/** Returns a unique key: functions of one name differ in their arguments. */
export function functionKey({ called }: ListedFunction): string {
  return `${tableKey(called)}(${called.identity})`;
}

/** Filters functions whose name, arguments or result contain all words of the text. */
export function searchFunctions(
  functions: readonly ListedFunction[],
  { text, state, schema }: FunctionSearch,
): readonly ListedFunction[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return functions.filter(
    (one) =>
      (schema === undefined || one.called.schema === schema) &&
      (state === 'all' || one.state === state) &&
      words.every((word) => textOf(one).includes(word)),
  );
}

function textOf({ called, fields }: ListedFunction): string {
  const { schema, name, arguments: taken, result } = called;
  return [`${schema}.${name}(${taken})`, result, ...fields].join(' ').toLowerCase();
}

/** Filters that are invalid are left out. */
export function readFunctionSearch(address: URLSearchParams): FunctionSearch {
  const state = address.get('show');
  return {
    text: address.get('search') ?? '',
    state: state === 'tracked' || state === 'trackable' || state === 'field' || state === 'other' ? state : 'all',
    schema: address.get('schema') ?? undefined,
  };
}
