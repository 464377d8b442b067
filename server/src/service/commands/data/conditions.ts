/** `where` and `order_by` of data commands: columns by their SQL names, and older spellings, as arguments of GraphQL. */

import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../base/errors.ts';
import { isJsonObject, memberPath } from '../../../base/json-value.ts';
import { selectAccess } from '../../../model/permissions/access.ts';
import { castsOf, operatorNamed } from '../../../model/predicate/operators.ts';
import { betweenColumns } from '../../../model/predicate/predicate.ts';
import type { ColumnType } from '../../../model/types/column-type.ts';
import type { Column, Relationship, Table } from '../../../model/types/table.ts';

/** A plain JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** The tables that the columns of a condition belong to: of the outermost rows, and of the rows at this place. */
interface Place {
  readonly root: Table;
  readonly table: Table;
  readonly role: RoleName;
}

/**
 * Converts a condition: `$and` of older clients is `_and`, a bare value is compared with `_eq`, and a bare null with
 * `_is_null`. Throws for columns that do not exist or that the role may not select.
 */
export function writeWhere(table: Table, where: unknown, role: RoleName, path: string): Members {
  return writeCondition({ root: table, table, role }, where, path);
}

function writeCondition(place: Place, where: unknown, path: string): Members {
  const { table, role } = place;
  return Object.fromEntries(
    Object.entries(membersOf(where, path)).map(([written, value]): [string, unknown] => {
      const below = memberPath(path, written);
      const name = written.replace(/^\$/, '_');
      if (name === '_and' || name === '_or') {
        const items = listOf(value, below);
        return [name, items.map((item, index) => writeCondition(place, item, memberPath(below, index)))];
      }
      if (name === '_not') return [name, writeCondition(place, value, below)];
      const relationship = table.relationships.get(written);
      if (relationship !== undefined) {
        const target = selectableTarget(relationship, role, below);
        return [written, writeCondition({ ...place, table: target }, value, below)];
      }
      // Computed fields, and aggregates of relationships.
      if (table.computedFields?.has(written) || table.relationships.has(written.replace(/_aggregate$/, ''))) {
        return [written, value];
      }
      const column = columnOf(table, written, role, below);
      if (column.type.family === 'json') {
        throw new ServiceError('unexpected-payload', 'JSON column can not be part of boolean expression', {
          path: below,
        });
      }
      return [column.field, writeTests(place, column.type, value, below)];
    }),
  );
}

function writeTests(place: Place, type: ColumnType, value: unknown, path: string): unknown {
  if (value === null) return { _is_null: true };
  if (!isJsonObject(value)) return { _eq: value };
  return Object.fromEntries(
    Object.entries(value).map(([operator, right]): [string, unknown] => {
      const below = memberPath(path, operator);
      const name = currentOperator(operator);
      if (name === '_cast') return [name, writeCasts(place, type, right, below)];
      if (Object.hasOwn(betweenColumns, name)) return [name, writeColumn(place, right, below)];
      if (operatorNamed(name, type) !== undefined) return [name, right];
      throw new ServiceError('unexpected-payload', `columns of type ${type.name} have no operator "${operator}"`, {
        path,
      });
    }),
  );
}

function currentOperator(written: string): string {
  const name = written.replace(/^\$/, '_');
  if (name === '_ne') return '_neq';
  return name === '_cneq' ? '_cne' : name;
}

function writeCasts(place: Place, type: ColumnType, casts: unknown, path: string): Members {
  return Object.fromEntries(
    Object.entries(membersOf(casts, path)).map(([written, tests]): [string, unknown] => {
      const cast = castsOf(type).find(({ name }) => name === written || name.toLowerCase() === written);
      if (cast !== undefined) {
        return [cast.name, writeTests(place, cast.type, tests, memberPath(path, written))];
      }
      throw new ServiceError('unexpected-payload', `columns of type ${type.name} cannot be cast to "${written}"`, {
        path: memberPath(path, written),
      });
    }),
  );
}

/** The column on the right side of `_ceq`: its name, or `["$", name]` for a column of the outermost row. */
function writeColumn({ root, table, role }: Place, right: unknown, path: string): readonly string[] {
  const steps: readonly unknown[] = Array.isArray(right) ? right : [right];
  const fromRoot = steps.length === 2 && steps[0] === '$';
  const name = steps.at(-1);
  if (typeof name !== 'string' || (steps.length > 1 && !fromRoot)) {
    throw new ServiceError('unexpected-payload', 'expected the name of a column, or ["$", "column"]', { path });
  }
  const of = fromRoot ? root : table;
  const column = columnOf(of, name, role, path);
  if (selectAccess(of, role)?.cells?.has(column)) throw noSelect(role, name, path);
  return fromRoot ? ['$', column.field] : [column.field];
}

function selectableTarget(relationship: Relationship, role: RoleName, path: string): Table {
  if (selectAccess(relationship.target, role) !== undefined) return relationship.target;
  const message = `role "${role}" does not have permission to select relationship "${relationship.name}"`;
  throw new ServiceError('permission-denied', message, { path });
}

/** Converts `"-id"`, `{ column: "author.name", type: "desc", nulls: "last" }`, or a list of such. */
export function writeOrder(table: Table, order: unknown, role: RoleName, path: string): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(order) ? order : [order];
  return items.map((item, index) =>
    writeOrderItem(table, item, role, Array.isArray(order) ? memberPath(path, index) : path),
  );
}

function writeOrderItem(table: Table, item: unknown, role: RoleName, path: string): unknown {
  if (typeof item === 'string') {
    return writeOrderKey(table, item.replace(/^[+-]/, ''), item.startsWith('-') ? 'desc' : 'asc', role, path);
  }
  const { column, type, nulls } = membersOf(item, path);
  if (typeof column !== 'string') throw new ServiceError('parse-failed', 'the name of a column is missing', { path });
  const direction = String(type ?? 'asc');
  const written = (nulls ?? undefined) === undefined ? direction : `${direction}_nulls_${String(nulls)}`;
  return writeOrderKey(table, column, written, role, path);
}

function writeOrderKey(table: Table, way: string, direction: string, role: RoleName, path: string): unknown {
  const [first = '', ...rest] = way.split('.');
  const relationship = table.columnsByName.has(way) ? undefined : table.relationships.get(first);
  if (relationship?.kind === 'array') {
    const message = `"${first}" is an array relationship, and rows cannot be ordered by its rows`;
    throw new ServiceError('unexpected-payload', message, { path });
  }
  if (relationship !== undefined && rest.length > 0) {
    const target = selectableTarget(relationship, role, path);
    return { [first]: writeOrderKey(target, rest.join('.'), direction, role, path) };
  }
  if (table.computedFields?.has(way)) return { [way]: direction };
  return { [columnOf(table, way, role, path).field]: direction };
}

/** The GraphQL name of a column that the role may select. */
export function fieldOf(table: Table, name: string, role: RoleName, path: string): string {
  return columnOf(table, name, role, path).field;
}

function columnOf(table: Table, name: string, role: RoleName, path: string): Column {
  const column = table.columnsByName.get(name);
  if (column === undefined) throw new ServiceError('not-exists', `column "${name}" does not exist`, { path });
  if (selectAccess(table, role)?.columns.has(column)) return column;
  throw noSelect(role, name, path);
}

function noSelect(role: RoleName, name: string, path: string): ServiceError {
  const message = `role "${role}" does not have permission to select column "${name}"`;
  return new ServiceError('permission-denied', message, { path });
}

export function membersOf(value: unknown, path: string): Members {
  if (isJsonObject(value)) return value;
  throw new ServiceError('parse-failed', 'must be an object', { path });
}

export function listOf(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ServiceError('parse-failed', 'must be a list', { path });
}
