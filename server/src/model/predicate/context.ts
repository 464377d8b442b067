/** The context and scope of the predicate parser, its JSON paths and errors. */

import { ServiceError } from '../../base/errors.ts';
import { isJsonObject, showJson } from '../../base/json-value.ts';
import type { Routine } from '../types/column-type.ts';
import type { Column, Comparison, ComputedField, Operand, SelectAccess, Table } from '../types/table.ts';
import { isSortable } from './column-types.ts';

/** How a boolean expression is parsed. */
export interface PredicateContext {
  /** The table whose rows the expression tests. */
  readonly table: Table;
  /**
   * `fields`: a `where` argument, which uses GraphQL field names. `columns`: a row rule, which uses SQL names (GraphQL
   * names are accepted), older spellings of operators, comparisons between columns and `_exists`.
   */
  readonly naming: 'columns' | 'fields';
  /** Whether two columns can be compared; in row rules they can unless given. */
  readonly columnComparisons?: boolean;
  /** The JSON path of the expression, the prefix of the paths of errors. */
  readonly path: string;
  /** The variable or session variable that a value on the right refers to; undefined for a constant. May throw. */
  readonly operand: (value: unknown) => Operand | undefined;
  /**
   * The caller's access to the target of a relationship, whose row rule is added there. Absent for row rules, which see
   * every row.
   */
  readonly access?: (table: Table) => SelectAccess | undefined;
  /** Called with the number of members of each object; throws beyond a limit. */
  readonly count?: (members: number, path: string) => void;
  /** The tables that `_exists` may name. */
  readonly tableNamed?: (schema: string, name: string) => Table | undefined;
  /** Called with each comparison with an operand, and its path. */
  readonly compared?: (comparison: Comparison, path: string) => void;
  /** Why a table has no such member, if the reason is known. */
  readonly whyMissing?: (table: Table, name: string) => string | undefined;
}

/** The position of the parser. */
export interface Scope {
  readonly context: PredicateContext;
  readonly table: Table;
  /** The number of enclosing relationships and `_exists`. */
  readonly depth: number;
  /** The number of enclosing expressions. */
  readonly level: number;
  /** Called when a nested expression refers to a column of the outermost row. */
  readonly usesRoot: () => void;
}

/** The column of that name: in row rules the SQL or GraphQL name, in requests the GraphQL name. */
export function columnNamed({ context, table }: Scope, name: string): Column | undefined {
  const stored = context.naming === 'columns' ? table.columnsByName.get(name) : undefined;
  return stored ?? table.columns.get(name) ?? computedColumn(table, name);
}

/** The column of a computed field that needs no arguments of the caller. */
export function computedColumn(table: Table, name: string): Column | undefined {
  const field = table.computedFields?.get(name);
  return field && comparedAs(field);
}

/** The column that a computed field is compared and sorted as; undefined if it needs arguments of the caller. */
export function comparedAs({ result, routine }: ComputedField): Column | undefined {
  if (result.kind !== 'scalar') return undefined;
  return needsArguments(routine) ? undefined : result.column;
}

/** The rows of a computed field that needs no arguments of the caller. Row rules can test them. */
export function computedRows(
  table: Table,
  name: string,
): { readonly routine: Routine; readonly table: Table } | undefined {
  const field = table.computedFields?.get(name);
  if (field?.result.kind !== 'rows' || needsArguments(field.routine)) return undefined;
  return { routine: field.routine, table: field.result.table };
}

function needsArguments(routine: Routine): boolean {
  return routine.arguments.some(({ from, hasDefault }) => from === 'caller' && !hasDefault);
}

/** The members of a JSON object that are not undefined. Throws for other values. */
export function membersOf(json: unknown, path: string, what: string): readonly (readonly [string, unknown])[] {
  if (!isJsonObject(json)) throw invalid(path, `expected ${what}, an object, but found ${showJson(json)}`);
  return Object.entries(json).filter(([, value]) => value !== undefined);
}

/** The members of an object of the expression, reported to `count`. */
export function countedMembers(
  json: unknown,
  { context }: Scope,
  path: string,
  what: string,
): readonly (readonly [string, unknown])[] {
  const members = membersOf(json, path, what);
  context.count?.(Math.max(members.length, 1), path);
  return members;
}

/** Throws if PostgreSQL does not sort the values of the column, without which it does not find the different ones. */
export function requireSortable({ field, type }: Column, path: string): void {
  if (isSortable(type)) return;
  throw invalid(
    path,
    `"${field}" has no distinct values, because PostgreSQL does not sort values of type ${type.name}`,
  );
}

/** An error of the expression at `path`. */
export function invalid(path: string, message: string): ServiceError {
  return new ServiceError('validation-failed', message, { path });
}

/** The first twenty names, separated by commas. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  return all.length > 20 ? `${all.slice(0, 20).join(', ')}, ...` : all.join(', ');
}
