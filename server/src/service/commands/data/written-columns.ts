/** The columns that data commands write, by their SQL names, and whether the role may write them. */

import type { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../../../base/errors.ts';
import { memberPath } from '../../../base/json-value.ts';
import { insertAccess, updateAccess } from '../../../model/permissions/write-access.ts';
import type { Column, Table } from '../../../model/types/table.ts';
import type { Members } from './conditions.ts';

type Write = 'insert' | 'update';

/**
 * Returns the members of a row under their GraphQL names. Throws with the path of a column that does not exist, that has a
 * preset, or that the role may not write.
 */
export function writeRow(table: Table, row: Members, write: Write, role: RoleName, path: string): Members {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      writtenColumn(table, name, write, role, memberPath(path, name)).field,
      value,
    ]),
  );
}

/** Returns the column. Columns that PostgreSQL generates are rejected by the schema. */
export function writtenColumn(table: Table, name: string, write: Write, role: RoleName, path: string): Column {
  const column = table.columnsByName.get(name);
  if (column === undefined) throw new ServiceError('not-exists', `column "${name}" does not exist`, { path });
  const access = write === 'insert' ? insertAccess(table, role) : updateAccess(table, role);
  if (access?.presets.has(column)) {
    const able = write === 'insert' ? 'insertable' : 'updatable';
    const message = `column "${name}" is not ${able} for role "${role}"; its value is predefined in permission`;
    throw new ServiceError('not-supported', message, { path });
  }
  if (access?.columns.has(column) || column.writable !== 'yes') return column;
  const message = `role "${role}" does not have permission to ${write} column "${name}"`;
  throw new ServiceError('permission-denied', message, { path });
}
