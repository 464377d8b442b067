/** What a rule may speak of in a table: its columns, its computed fields, and the tables behind its relationships. Pure. */

import { targetOf } from '../../../shared/relationships/relationship-target.ts';
import type { RelationshipEntry, TableEntry, TableInfo } from '../../../shared/sources/sources-api.ts';
import type { TableName } from '../../../shared/sources/table-paths.ts';

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
