/** What a role sees of a table, and how far it gets through relationships. */

import { selectAccess } from '../model/access.ts';
import type { Column, Relationship, SelectAccess, Table } from '../model/table-model.ts';
import type { TypeRegistry } from './registry.ts';

/** A relationship whose target the role may select from. */
export interface VisibleRelationship {
  readonly relationship: Relationship;
  /** The role's access to the target. */
  readonly access: SelectAccess;
}

/** The columns that the role may read, in order of position. */
export function visibleColumns(registry: TypeRegistry, table: Table): readonly Column[] {
  const access = selectAccess(table, registry.role);
  if (access === undefined) return [];
  return [...table.columns.values()].filter((column) => access.columns.has(column));
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

/** Can the role select at least one field of the table's rows? Only such a table has a row type. */
export function hasRows(registry: TypeRegistry, table: Table): boolean {
  return reaches(
    table,
    (one) =>
      visibleColumns(registry, one).length > 0 ||
      visibleRelationships(registry, one).some(({ relationship, access }) => aggregates(relationship, access)),
    (one) => visibleRelationships(registry, one).map(({ relationship }) => relationship.target),
  );
}

/** Is there anything the role can order the table's rows by? */
export function isOrderable(registry: TypeRegistry, table: Table): boolean {
  return reaches(
    table,
    (one) =>
      visibleColumns(registry, one).some(canOrderBy) ||
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
