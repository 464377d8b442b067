/** Links from a row to the rows that relationships join to it. Pure. */
import type { SuggestedRelationship } from '@joinery/metadata/api/sources/catalog';
import { isJsonObject } from '../../../api/json.ts';
import { tableNamed } from '../../../shared/relationships/relationship-target.ts';
import type { RelationshipEntry } from '../../../shared/sources/sources-api.ts';
import { rowsPath, type TableName } from '../../../shared/sources/table-paths.ts';
import { isNull, type Row, shortText } from './row-values.ts';

interface RelatedTable {
  /** The name of the relationship. */
  readonly name: string;
  readonly type: 'object' | 'array';
  readonly table: TableName;
  /** Columns of the row to columns of the other table. */
  readonly columns: Readonly<Record<string, string>>;
}

export interface RelatedRows extends Pick<RelatedTable, 'name' | 'type' | 'table'> {
  readonly to: string;
}

/** Returns the tables by foreign keys, and by relationships that name their columns. */
export function relatedTables(
  byKeys: readonly SuggestedRelationship[],
  relationships: {
    readonly object_relationships?: readonly RelationshipEntry[] | null | undefined;
    readonly array_relationships?: readonly RelationshipEntry[] | null | undefined;
  },
): readonly RelatedTable[] {
  const ofKeys = byKeys.map(({ name, type, from, to }): RelatedTable => {
    const pairs = from.columns.map((column, index): [string, string] => [column, to.columns[index] ?? '']);
    return { name, type, table: to.table, columns: Object.fromEntries(pairs) };
  });
  const { object_relationships, array_relationships } = relationships;
  return [
    ...ofKeys,
    ...(object_relationships ?? []).flatMap((entry) => byColumns(entry, 'object')),
    ...(array_relationships ?? []).flatMap((entry) => byColumns(entry, 'array')),
  ];
}

function byColumns({ name, using }: RelationshipEntry, type: RelatedTable['type']): readonly RelatedTable[] {
  const written: unknown = using;
  const manual = isJsonObject(written) ? written.manual_configuration : undefined;
  if (!isJsonObject(manual) || !isJsonObject(manual.column_mapping)) return [];
  const table = tableNamed(manual.remote_table);
  const columns = Object.entries(manual.column_mapping).flatMap(([own, other]) =>
    typeof other === 'string' ? [[own, other] as const] : [],
  );
  return table === undefined ? [] : [{ name, type, table, columns: Object.fromEntries(columns) }];
}

/** Returns the links of a row. Null joins no rows. */
export function relatedRows(source: string, row: Row, tables: readonly RelatedTable[]): readonly RelatedRows[] {
  return tables
    .filter(({ columns }) => Object.keys(columns).every((own) => Object.hasOwn(row, own) && !isNull(row[own])))
    .map(({ name, type, table, columns }) => {
      const values = Object.entries(columns).map(([own, other]) => [other, shortText(row[own])] as const);
      return { name, type, table, to: rowsPath(source, table, values) };
    });
}
