/** What a role sees of a table, and how far it gets through relationships. */

import { selectAccess } from '../../model/permissions/access.ts';
import { comparedAs } from '../../model/predicate/context.ts';
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

/** The columns that the role may read, in order of position. */
export function visibleColumns(registry: TypeRegistry, table: Table): readonly Column[] {
  const access = selectAccess(table, registry.role);
  if (access === undefined) return [];
  return [...table.columns.values()].filter((column) => access.columns.has(column));
}

/** For a binding: in which rows the role sees the column, where that is not all of them. */
export function seenIn(registry: TypeRegistry, table: Table, column: Column): { readonly seen?: Predicate } {
  const seen = selectAccess(table, registry.role)?.cells?.get(column);
  return seen === undefined ? {} : { seen };
}

/** The relationships that lead to tables which the role may select from. */
export function visibleRelationships(registry: TypeRegistry, table: Table): readonly VisibleRelationship[] {
  const visible: VisibleRelationship[] = [];
  for (const relationship of table.relationships.values()) {
    const access = selectAccess(relationship.target, registry.role);
    if (access !== undefined) visible.push({ relationship, access });
  }
  return visible;
}

/** The computed fields with scalar results that the role may read. */
export function visibleComputed(registry: TypeRegistry, table: Table): readonly ComputedField[] {
  const seen = selectAccess(table, registry.role)?.computedFields;
  return [...(table.computedFields?.values() ?? [])].filter((field) => seen?.has(field));
}

/** Of these, as columns, those that rows can be compared and sorted by. */
export function comparedComputed(registry: TypeRegistry, table: Table): readonly Column[] {
  return visibleComputed(registry, table).flatMap((field) => comparedAs(field) ?? []);
}

/** The computed fields whose rows are those of a table that the role may select from. */
export function visibleComputedRows(registry: TypeRegistry, table: Table): readonly VisibleComputedRows[] {
  return [...(table.computedFields?.values() ?? [])].flatMap((computed): VisibleComputedRows[] => {
    const target = computed.result.kind === 'rows' ? computed.result.table : undefined;
    const access = target && selectAccess(target, registry.role);
    return target === undefined || access === undefined ? [] : [{ computed, target, access }];
  });
}

/** Can the role select at least one field of the table's rows? Only such a table has a row type. */
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

/** Is there anything the role can order the table's rows by? */
export function isOrderable(registry: TypeRegistry, table: Table): boolean {
  return reaches(
    table,
    (one) =>
      [...visibleColumns(registry, one), ...comparedComputed(registry, one)].some(canOrderBy) ||
      visibleRelationships(registry, one).some(({ relationship, access }) => aggregates(relationship, access)),
    (one) =>
      visibleRelationships(registry, one)
        .filter(({ relationship }) => relationship.kind === 'object')
        .map(({ relationship }) => relationship.target),
  );
}

/** Has the relationship a `<name>_aggregate` beside it? */
export function aggregates(relationship: Relationship, access: SelectAccess): boolean {
  return relationship.kind === 'array' && access.aggregations;
}

/** PostgreSQL has no order for json (it has one for jsonb). */
export function canOrderBy(column: Column): boolean {
  return column.type.family !== 'json';
}

/** Does `has` hold for `start` or for a table that `next` leads to from there? */
function reaches(start: Table, has: (table: Table) => boolean, next: (table: Table) => readonly Table[]): boolean {
  const seen = new Set([start]);
  for (const table of seen) {
    if (has(table)) return true;
    for (const target of next(table)) seen.add(target);
  }
  return false;
}
