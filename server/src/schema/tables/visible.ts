/** The columns, computed fields and relationships of a table that a role sees. */

import { selectAccess } from '../../model/permissions/access.ts';
import { isSortable } from '../../model/predicate/column-types.ts';
import { comparedAs, computedRows } from '../../model/predicate/context.ts';
import type { Column, ComputedField, Predicate, Relationship, SelectAccess, Table } from '../../model/types/table.ts';
import type { TypeRegistry } from '../registry.ts';

/** A relationship whose target the role may select from. */
export interface VisibleRelationship {
  readonly relationship: Relationship;
  /** The role's access to the target. */
  readonly access: SelectAccess;
}

export interface VisibleComputedRows {
  readonly computed: ComputedField;
  readonly target: Table;
  readonly access: SelectAccess;
}

/** The columns that the role may select, in order of position. */
export function visibleColumns(registry: TypeRegistry, table: Table): readonly Column[] {
  const access = selectAccess(table, registry.role);
  if (access === undefined) return [];
  return [...table.columns.values()].filter((column) => access.columns.has(column));
}

/** The member `seen` of a binding: the condition under which the role sees the cell, if it does not see all. */
export function seenIn(registry: TypeRegistry, table: Table, column: Column): { readonly seen?: Predicate } {
  const seen = selectAccess(table, registry.role)?.cells?.get(column);
  return seen === undefined ? {} : { seen };
}

/** The relationships to tables that the role may select from. */
export function visibleRelationships(registry: TypeRegistry, table: Table): readonly VisibleRelationship[] {
  const visible: VisibleRelationship[] = [];
  for (const relationship of table.relationships.values()) {
    const access = selectAccess(relationship.target, registry.role);
    if (access !== undefined) visible.push({ relationship, access });
  }
  return visible;
}

/** The relationships in `where` and `order_by`: not those of native queries, nor those to them, which need arguments. */
export function comparedRelationships(registry: TypeRegistry, table: Table): readonly VisibleRelationship[] {
  if (table.native !== undefined) return [];
  return visibleRelationships(registry, table).filter(({ relationship }) => relationship.target.native === undefined);
}

/** The scalar computed fields that the role may select. */
export function visibleComputed(registry: TypeRegistry, table: Table): readonly ComputedField[] {
  const seen = selectAccess(table, registry.role)?.computedFields;
  return [...(table.computedFields?.values() ?? [])].filter((field) => seen?.has(field));
}

/** The scalar computed fields, as columns, that rows can be compared by. */
export function comparedComputed(registry: TypeRegistry, table: Table): readonly Column[] {
  return visibleComputed(registry, table).flatMap((field) => comparedAs(field) ?? []);
}

/** The columns and scalar computed fields that the role may select and rows can be sorted by. */
export function sortedColumns(registry: TypeRegistry, table: Table): readonly Column[] {
  const columns = [...visibleColumns(registry, table), ...comparedComputed(registry, table)];
  return columns.filter(({ type }) => isSortable(type));
}

/** The computed fields that return rows of a table which the role may select from. */
export function visibleComputedRows(registry: TypeRegistry, table: Table): readonly VisibleComputedRows[] {
  return [...(table.computedFields?.values() ?? [])].flatMap((computed): VisibleComputedRows[] => {
    const target = computed.result.kind === 'rows' ? computed.result.table : undefined;
    const access = target && selectAccess(target, registry.role);
    return target === undefined || access === undefined ? [] : [{ computed, target, access }];
  });
}

/** The computed fields that return rows and need no arguments of the caller, so that rows can be compared and ordered by them. */
export function comparedRows(registry: TypeRegistry, table: Table): readonly VisibleComputedRows[] {
  return visibleComputedRows(registry, table).filter(
    ({ computed }) => computedRows(table, computed.name) !== undefined,
  );
}

/** Whether the role may select some field of the table's rows. Only such a table has a row type. */
export function hasRows(registry: TypeRegistry, table: Table): boolean {
  return reaches(
    table,
    (one) =>
      visibleColumns(registry, one).length > 0 ||
      visibleComputed(registry, one).length > 0 ||
      visibleRelationships(registry, one).some(({ relationship, access }) => aggregates(relationship, access)),
    (one) => visibleRelationships(registry, one).map(({ relationship }) => relationship.target),
  );
}

/** Whether the role can order the table's rows by something. */
export function isOrderable(registry: TypeRegistry, table: Table): boolean {
  return reaches(
    table,
    (one) =>
      sortedColumns(registry, one).length > 0 ||
      comparedRows(registry, one).length > 0 ||
      comparedRelationships(registry, one).some(({ relationship }) => relationship.kind === 'array'),
    (one) =>
      comparedRelationships(registry, one)
        .filter(({ relationship }) => relationship.kind === 'object')
        .map(({ relationship }) => relationship.target),
  );
}

/** Whether the relationship has a field `<name>_aggregate`. */
export function aggregates(relationship: Relationship, access: SelectAccess): boolean {
  return relationship.kind === 'array' && access.aggregations;
}

/** Whether `has` is true for `start` or for a table reachable from it by `next`. */
function reaches(start: Table, has: (table: Table) => boolean, next: (table: Table) => readonly Table[]): boolean {
  const seen = new Set([start]);
  for (const table of seen) {
    if (has(table)) return true;
    for (const target of next(table)) seen.add(target);
  }
  return false;
}
