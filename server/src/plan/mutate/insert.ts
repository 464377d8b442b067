/** The rows of an insert as a tree: their values, the rows that they refer to, and the rows that refer to them. */
import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../base/errors.ts';
import { insertAccess, updateAccess } from '../../model/permissions/write-access.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { Column, InsertAccess, Relationship, Table } from '../../model/types/table.ts';
import type { ArgumentValue } from '../document/arguments.ts';
import type { ConflictPlan, ConflictTarget, InsertPlan } from '../plan/mutation.ts';
import { filteredWhere } from '../select/where.ts';
import { encodeText } from './values.ts';

/** Rows of one table with the same conflict clause. */
export interface InsertLevel {
  readonly table: Table;
  readonly access: InsertAccess;
  readonly conflict: ConflictPlan | undefined;
  /** The path of the argument that contains the rows. */
  readonly path: string;
  readonly rows: readonly InsertRow[];
}

export interface InsertRow {
  readonly path: string;
  /** The given values in PostgreSQL's text form. Keys of related rows are added as they are inserted. */
  readonly values: Map<Column, string | null>;
  /** Rows that this one refers to. */
  readonly before: readonly NestedInsert[];
  /** Rows that refer to this one. */
  readonly after: readonly NestedInsert[];
}

export interface NestedInsert {
  readonly relationship: Relationship;
  readonly path: string;
  readonly level: InsertLevel;
}

type Given = Readonly<Record<string, unknown>>;

/** Returns the tree for one execution. `data` is the argument with its variables replaced. */
export function arrangeInsert({ table, role, path, argument, conflict }: InsertPlan, data: unknown): InsertLevel {
  return arrangeLevel(role, table, conflict, data, `${path}.args.${argument}`, argument === 'objects', []);
}

/** `given` are the columns whose values are determined by the parent row. */
function arrangeLevel(
  role: RoleName,
  table: Table,
  conflict: ConflictPlan | undefined,
  data: unknown,
  path: string,
  many: boolean,
  given: readonly Column[],
): InsertLevel {
  const access = insertAccess(table, role);
  if (access === undefined) throw new TypeError(`the role may not insert into ${table.name}`);
  const objects = (many && Array.isArray(data) ? data : [data]) as readonly Given[];
  const rows = objects.map((object, index) =>
    arrangeRow(role, table, object, many ? `${path}[${index}]` : path, given),
  );
  return { table, access, conflict, path, rows };
}

function arrangeRow(role: RoleName, table: Table, object: Given, path: string, given: readonly Column[]): InsertRow {
  const values = new Map<Column, string | null>();
  const [before, after]: [NestedInsert[], NestedInsert[]] = [[], []];
  for (const [name, value] of Object.entries(object)) {
    const column = table.columns.get(name);
    const relationship = table.relationships.get(name);
    if (column !== undefined) {
      values.set(column, encodeText(column.type, value, `${path}.${name}`));
    } else if (relationship !== undefined && value !== null && value !== undefined) {
      const refers = relationship.kind === 'object' && relationship.insertAfter !== true;
      const nested = arrangeNested(role, relationship, value as Given, `${path}.${name}`, refers);
      if (nested.level.rows.length > 0) (refers ? before : after).push(nested);
    }
  }
  rejectDetermined(path, values, before, given);
  return { path, values, before, after };
}

function arrangeNested(
  role: RoleName,
  relationship: Relationship,
  { data, on_conflict }: Given,
  path: string,
  refers: boolean,
): NestedInsert {
  const { target, kind, mapping } = relationship;
  const conflict = planConflict(role, target, on_conflict, `${path}.on_conflict`);
  const given = refers ? [] : mapping.map(({ to }) => to);
  const level = arrangeLevel(role, target, conflict, data, `${path}.data`, kind === 'array', given);
  return { relationship, path, level };
}

/** Throws if the value of a column is determined more than once. */
function rejectDetermined(
  path: string,
  values: ReadonlyMap<Column, unknown>,
  before: readonly NestedInsert[],
  given: readonly Column[],
): void {
  const twice = given.filter((column) => values.has(column));
  if (twice.length > 0) {
    throw new ServiceError(
      'validation-failed',
      `cannot insert ${named(twice)} columns as their values are already being determined by parent insert`,
      { path },
    );
  }
  const taken = new Set([...values.keys(), ...given]);
  for (const { relationship, path: nested } of before) {
    const columns = relationship.mapping.map(({ from }) => from);
    const known = columns.filter((column) => taken.has(column));
    if (known.length > 0) {
      throw new ServiceError(
        'validation-failed',
        `cannot insert object relationship "${relationship.name}" as ${named(known)} column values are already determined`,
        { path: nested },
      );
    }
    for (const column of columns) taken.add(column);
  }
}

function named(columns: readonly Column[]): string {
  return columns.map(({ field }) => `"${field}"`).join(', ');
}

/** Plans an `on_conflict` argument. Its `where` may contain variables. */
export function planConflict(
  role: RoleName,
  table: Table,
  value: ArgumentValue,
  path: string,
): ConflictPlan | undefined {
  if (value === undefined || value === null) return undefined;
  const access = updateAccess(table, role);
  const { update_columns, where } = value as Given;
  const names = (Array.isArray(update_columns) ? update_columns : []) as readonly unknown[];
  return {
    target: conflictTarget(table, value as Given),
    columns: [...new Set(names)].map((name) => updatedColumn(table, String(name), `${path}.update_columns`)),
    // Without update permission, the enum of columns has a placeholder only, so that no row is updated.
    presets: access?.presets ?? new Map(),
    where: filteredWhere(role, table, access?.filter ?? everyRow, where, `${path}.where`),
    check: access?.check,
  };
}

/** Only data commands may give `constraint_on`, or no target. */
function conflictTarget(table: Table, { constraint, constraint_on }: Given): ConflictTarget {
  if (Array.isArray(constraint_on)) {
    return { kind: 'columns', columns: constraint_on.flatMap((name) => table.columnsByName.get(String(name)) ?? []) };
  }
  return constraint === undefined || constraint === null
    ? { kind: 'any' }
    : { kind: 'constraint', name: String(constraint) };
}

/** Throws for the placeholder of an enum without columns. */
function updatedColumn(table: Table, name: string, path: string): Column {
  const column = table.columns.get(name);
  if (column !== undefined) return column;
  throw new ServiceError('validation-failed', `erroneous column name: no column of "${table.name}" can be updated`, {
    path,
  });
}
