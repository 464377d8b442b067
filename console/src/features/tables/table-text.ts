/** Descriptions of tables and columns. Pure. */
import type { ColumnInfo, TableInfo, TableKind } from '@joinery/metadata/api/sources/catalog';
import { counted } from '../../ui/format.ts';

const kinds: Readonly<Record<TableKind, string>> = {
  table: 'Table',
  partitioned_table: 'Partitioned table',
  view: 'View',
  materialized_view: 'Materialized view',
  foreign_table: 'Foreign table',
};

export function kindOf({ kind, enum: isEnum }: Pick<TableInfo, 'kind' | 'enum'>): string {
  return isEnum ? `${kinds[kind]} of enum values` : kinds[kind];
}

/** Formats `about 1,040 rows`. Empty without an estimate. */
export function rowsOf({ estimated_rows }: Pick<TableInfo, 'estimated_rows'>): string {
  return estimated_rows === null ? '' : `about ${counted(estimated_rows, 'row')}`;
}

/** Formats `integer, not null, default 7`. */
export function describeColumn(column: ColumnInfo): string {
  return [column.sql_type, ...(column.nullable ? [] : ['not null']), ...filledBy(column)].join(', ');
}

/** Describes the default, generation expression or identity of a column. */
export function filledBy({ generated, identity, has_default, default: expression }: ColumnInfo): readonly string[] {
  if (generated) return [`generated: ${expression ?? 'always'}`];
  if (identity !== null) return [`identity, ${identity}`];
  return has_default ? [`default ${expression ?? ''}`.trim()] : [];
}
