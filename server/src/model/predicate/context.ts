/** What the parts of the predicate parser share: the caller's terms, JSON paths, and errors. */
import { ServiceError } from '../../base/errors.ts';
import type { Routine } from '../types/column-type.ts';
import type { Column, ComputedField, Operand, SelectAccess, Table } from '../types/table.ts';

/** The terms on which a boolean expression is read. */
export interface PredicateContext {
  /** The table whose rows it is about. */
  readonly table: Table;
  /**
   * `fields`: the `where` argument of a request, by GraphQL field names. `columns`: a rule of the metadata, by SQL names
   * (GraphQL names are taken too), with its older spellings, comparisons between columns and `_exists`.
   */
  readonly naming: 'columns' | 'fields';
  /** JSON path of the expression, put before the paths of errors. */
  readonly path: string;
  /** What a value on the right stands for: a variable, a session variable. Undefined: for itself. May refuse it. */
  readonly operand: (value: unknown) => Operand | undefined;
  /**
   * What the caller may see of a table behind a relationship: its row rule is added there. Not given for rules of the
   * metadata, which see every row.
   */
  readonly access?: (table: Table) => SelectAccess | undefined;
  /** Called with the number of members of each object of the expression; throws beyond a limit. */
  readonly count?: (members: number, path: string) => void;
  /** The tables that `_exists` may name. */
  readonly tableNamed?: (schema: string, name: string) => Table | undefined;
  /** Why a table has no such member, where more can be said than that. */
  readonly whyMissing?: (table: Table, name: string) => string | undefined;
}

/** Where the parser is. */
export interface Scope {
  readonly context: PredicateContext;
  readonly table: Table;
  /** How many relationships and `_exists` lie above. */
  readonly depth: number;
  /** How many expressions lie above. */
  readonly level: number;
  /** Told when a column of the outermost row is used further down. */
  readonly usesRoot: () => void;
}

/** The columns of a rule by either name, of a request by GraphQL name. */
export function columnNamed({ context, table }: Scope, name: string): Column | undefined {
  const stored = context.naming === 'columns' ? table.columnsByName.get(name) : undefined;
  return stored ?? table.columns.get(name) ?? computedColumn(table, name);
}

/** A computed field to which the caller need pass nothing. */
export function computedColumn(table: Table, name: string): Column | undefined {
  const field = table.computedFields?.get(name);
  return field && comparedAs(field);
}

/** The column that a computed field is compared and sorted as; undefined where it needs arguments of a caller. */
export function comparedAs({ result, routine }: ComputedField): Column | undefined {
  if (result.kind !== 'scalar') return undefined;
  return wantsArguments(routine) ? undefined : result.column;
}

/** A computed field with rows, to which the caller need pass nothing; rules may speak of them. */
export function computedRows(
  table: Table,
  name: string,
): { readonly routine: Routine; readonly table: Table } | undefined {
  const field = table.computedFields?.get(name);
  if (field?.result.kind !== 'rows' || wantsArguments(field.routine)) return undefined;
  return { routine: field.routine, table: field.result.table };
}

function wantsArguments(routine: Routine): boolean {
  return routine.arguments.some(({ from, hasDefault }) => from === 'caller' && !hasDefault);
}

/** The members of a JSON object that are given; a value of any other kind is refused. */
export function membersOf(json: unknown, path: string, what: string): readonly (readonly [string, unknown])[] {
  if (!isObject(json)) throw refused(path, `expected ${what}, an object, but found ${kindOf(json)}`);
  return Object.entries(json).filter(([, value]) => value !== undefined);
}

/** The members of an object of the expression, which are counted. */
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

/** A plain JSON object: neither a list nor one of the classes that stand for a value. */
export function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null) return false;
  const prototype: unknown = Object.getPrototypeOf(json);
  return prototype === null || prototype === Object.prototype;
}

/** `$.where` and `name` -> `$.where.name`; what is no plain name is quoted. */
export function at(path: string, member: string | number): string {
  if (typeof member === 'number') return `${path}[${member}]`;
  return /^[_$A-Za-z][_0-9A-Za-z]*$/.test(member) ? `${path}.${member}` : `${path}[${JSON.stringify(member)}]`;
}

export function refused(path: string, message: string): ServiceError {
  return new ServiceError('validation-failed', message, { path });
}

/** For messages: `null`, `a list`, `the number 3`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 60))}`;
  return typeof value === 'object' ? 'an object' : `${value}`;
}

/** At most twenty names, so that a message stays readable. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  return all.length > 20 ? `${all.slice(0, 20).join(', ')}, ...` : all.join(', ');
}
