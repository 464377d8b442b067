/** The columns, computed fields and relationships of a table that a rule can use. Pure. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { targetOf } from '../relationships/relationship-target.ts';
import type { RelationshipEntry, TableEntry } from '../sources/sources-api.ts';
import type { TableName } from '../sources/table-paths.ts';

export interface RuleColumn {
  readonly name: string;
  /** Internal type name. The base type for a domain. */
  readonly type: string;
  /** Values of an enum. */
  readonly values?: readonly string[];
}

export interface RuleRelationship {
  readonly name: string;
  readonly kind: 'object' | 'array';
  /** Undefined when unknown. */
  readonly target: TableName | undefined;
}

export interface RuleTable {
  readonly table: TableName;
  readonly columns: readonly RuleColumn[];
  readonly relationships: readonly RuleRelationship[];
  readonly computedFields: readonly string[];
  readonly primaryKey: readonly string[];
  /** Null when the database has no estimate. */
  readonly estimatedRows: number | null;
}

/** `entry` is the table in the metadata. Undefined for an untracked table. */
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
