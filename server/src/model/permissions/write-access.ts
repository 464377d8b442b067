/** The access of a role to writes of a table. */
import { ADMIN_ROLE, type RoleName } from '@joinery/metadata/names';
import { everyRow } from '../predicate/combinators.ts';
import type { DeleteAccess, InsertAccess, Presets, Table, UpdateAccess } from '../types/table.ts';

const noPresets: Presets = new Map();

/** Undefined if the role may not insert or PostgreSQL does not permit it. `admin` may set every writable column. */
export function insertAccess(table: Table, role: RoleName): InsertAccess | undefined {
  if (table.hidden || !table.insertable) return undefined;
  return role === ADMIN_ROLE ? accessOfAdmin(table).insert : table.insertAccess.get(role);
}

/** Undefined if the role may not update or PostgreSQL does not permit it. */
export function updateAccess(table: Table, role: RoleName): UpdateAccess | undefined {
  if (table.hidden || !table.updatable) return undefined;
  return role === ADMIN_ROLE ? accessOfAdmin(table).update : table.updateAccess.get(role);
}

/** Undefined if the role may not delete or PostgreSQL does not permit it. */
export function deleteAccess(table: Table, role: RoleName): DeleteAccess | undefined {
  if (table.hidden || !table.deletable) return undefined;
  return role === ADMIN_ROLE ? deleteOfAdmin : table.deleteAccess.get(role);
}

const deleteOfAdmin: DeleteAccess = { filter: everyRow, backendOnly: false };

const ofAdmin = new WeakMap<Table, { readonly insert: InsertAccess; readonly update: UpdateAccess }>();

function accessOfAdmin(table: Table): { readonly insert: InsertAccess; readonly update: UpdateAccess } {
  const known = ofAdmin.get(table);
  if (known !== undefined) return known;
  // Without the columns that PostgreSQL always generates.
  const columns = new Set([...table.columns.values()].filter((column) => column.writable === 'yes'));
  const shared = { columns, presets: noPresets, backendOnly: false };
  const access = {
    insert: { ...shared, check: everyRow },
    update: { ...shared, filter: everyRow, check: undefined },
  };
  ofAdmin.set(table, access);
  return access;
}
