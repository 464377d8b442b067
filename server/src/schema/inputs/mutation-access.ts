/** The write access of the schema's role, without `backend_only` permissions unless the caller is a backend. */
import { selectAccess } from '../../model/permissions/access.ts';
import { deleteAccess, insertAccess, updateAccess } from '../../model/permissions/write-access.ts';
import type { Column, DeleteAccess, InsertAccess, Table, UpdateAccess } from '../../model/types/table.ts';
import type { TypeRegistry } from '../registry.ts';

export function mayInsert(registry: TypeRegistry, table: Table): InsertAccess | undefined {
  return shown(registry, insertAccess(table, registry.role));
}

export function mayUpdate(registry: TypeRegistry, table: Table): UpdateAccess | undefined {
  return shown(registry, updateAccess(table, registry.role));
}

export function mayDelete(registry: TypeRegistry, table: Table): DeleteAccess | undefined {
  return shown(registry, deleteAccess(table, registry.role));
}

function shown<Access extends { readonly backendOnly: boolean }>(
  registry: TypeRegistry,
  access: Access | undefined,
): Access | undefined {
  return access?.backendOnly && !registry.backend ? undefined : access;
}

/** The writable columns among `columns`, in order of position. */
export function writtenColumns(table: Table, columns: ReadonlySet<Column>): readonly Column[] {
  return [...table.columns.values()].filter((column) => column.writable === 'yes' && columns.has(column));
}

/** The primary key; undefined if there is none or the role may not select all of its columns. */
export function visibleKey(registry: TypeRegistry, table: Table): readonly Column[] | undefined {
  const access = selectAccess(table, registry.role);
  const { primaryKey } = table;
  if (access === undefined || primaryKey === undefined || primaryKey.length === 0) return undefined;
  return primaryKey.every((column) => access.columns.has(column) && table.columns.has(column.field))
    ? primaryKey
    : undefined;
}
