/** What a rule may speak of in a table: its columns, its computed fields, and the tables behind its relationships. Pure. */
import type { RelationshipEntry, TableEntry, TableInfo } from '../../../shared/sources/sources-api.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';
import { isMembers, type Members } from './rule.ts';

export interface RuleColumn {
  readonly name: string;
  /** As PostgreSQL keeps it, of a domain that of its base. */
  readonly type: string;
  /** Of an enum. */
  readonly values?: readonly string[];
}

export interface RuleRelationship {
  readonly name: string;
  readonly kind: 'object' | 'array';
  /** Undefined where it cannot be told. */
  readonly target: TableName | undefined;
}

export interface RuleTable {
  readonly table: TableName;
  readonly columns: readonly RuleColumn[];
  readonly relationships: readonly RuleRelationship[];
  readonly computedFields: readonly string[];
  readonly primaryKey: readonly string[];
  /** Null where nothing is known of how many there are. */
  readonly estimatedRows: number | null;
}

/** `entry`: what is written of the table; undefined where it is not tracked. */
export function ruleTable(info: TableInfo, entry: TableEntry | undefined): RuleTable {
  const { table, columns, primary_key, estimated_rows } = info;
  return {
    table,
    columns: columns.map(({ name, type, base_type, values }) => ({
      name,
      type: base_type ?? type,
      ...(values !== undefined && { values }),
    })),
    relationships: [
      ...(entry?.object_relationships ?? []).map((one) => related(one, 'object', info)),
      ...(entry?.array_relationships ?? []).map((one) => related(one, 'array', info)),
    ],
    computedFields: (entry?.computed_fields ?? []).map(({ name }) => name),
    primaryKey: primary_key ?? [],
    estimatedRows: estimated_rows,
  };
}

function related(
  { name, using }: RelationshipEntry,
  kind: RuleRelationship['kind'],
  info: TableInfo,
): RuleRelationship {
  return { name, kind, target: targetOf(using, info) };
}

/** The table that a relationship leads to; undefined where no foreign key says so. */
export function targetOf(using: Members, { foreign_keys }: Pick<TableInfo, 'foreign_keys'>): TableName | undefined {
  const { manual_configuration: manual, foreign_key_constraint_on: on } = using;
  if (isMembers(manual)) return tableNamed(manual.remote_table);
  if (isMembers(on) && 'table' in on) return tableNamed(on.table);
  const columns = typeof on === 'string' ? [on] : Array.isArray(on) ? on : [];
  const matches = ({ columns: own }: TableInfo['foreign_keys'][number]): boolean => {
    const names = Object.keys(own);
    return names.length === columns.length && names.every((name) => columns.includes(name));
  };
  return foreign_keys.find(matches)?.table;
}

/** A table as metadata writes it; undefined for what is none. */
export function tableNamed(written: unknown): TableName | undefined {
  if (typeof written === 'string') return { schema: 'public', name: written };
  if (!isMembers(written) || typeof written.name !== 'string') return undefined;
  return { schema: typeof written.schema === 'string' ? written.schema : 'public', name: written.name };
}
