import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import type { TableName } from '../sources/table-paths.ts';

/** Returns the target table of a relationship. Undefined without a matching foreign key. */
export function targetOf(using: JsonObject, { foreign_keys }: Pick<TableInfo, 'foreign_keys'>): TableName | undefined {
  const { manual_configuration: manual, foreign_key_constraint_on: on } = using;
  if (isJsonObject(manual)) return tableNamed(manual.remote_table);
  if (isJsonObject(on) && 'table' in on) return tableNamed(on.table);
  const columns = typeof on === 'string' ? [on] : Array.isArray(on) ? on : [];
  const matches = ({ columns: own }: TableInfo['foreign_keys'][number]): boolean => {
    const names = Object.keys(own);
    return names.length === columns.length && names.every((name) => columns.includes(name));
  };
  return foreign_keys.find(matches)?.table;
}

/** Parses a table name of the metadata. Undefined for anything else. */
export function tableNamed(written: unknown): TableName | undefined {
  if (typeof written === 'string') return { schema: 'public', name: written };
  if (!isJsonObject(written) || typeof written.name !== 'string') return undefined;
  return { schema: typeof written.schema === 'string' ? written.schema : 'public', name: written.name };
}
