/** Values that the form of a relationship starts with once its table is chosen. Pure. */
import type { SuggestedActionRelationship } from '@joinery/metadata/api/sources/catalog';
import { suggestedName } from '../../../shared/relationships/relationship-text.ts';
import type { MappingKey, MappingRow } from '../../../shared/remote-relationships/mapping-fields.tsx';
import { sameTable, type TableName } from '../../../shared/sources/table-paths.ts';

export interface Prefilled {
  readonly name: string;
  readonly type: 'object' | 'array';
  readonly rows: readonly MappingRow[];
}

interface ChosenTable {
  readonly source: string;
  readonly table: TableName;
}

/** Returns what the service suggests for the table. Without a suggestion, fields with the name of a column are mapped. */
export function prefilled(
  { source, table }: ChosenTable,
  keys: readonly MappingKey[],
  suggestions: readonly SuggestedActionRelationship[],
  taken: ReadonlySet<string>,
): Prefilled {
  const found = suggestions.find((one) => one.source === source && sameTable(one.remote_table, table));
  if (found !== undefined) return { name: found.name, type: found.type, rows: rowsOf(found.field_mapping) };
  const pairs = keys.flatMap(({ field, columns }): readonly (readonly [string, string])[] => {
    const same = columns.find(({ column, problem }) => problem === undefined && plain(column) === plain(field));
    return same === undefined ? [] : [[field, same.column]];
  });
  return { name: suggestedName('object', table, taken), type: 'object', rows: rowsOf(Object.fromEntries(pairs)) };
}

/** Returns one row for each pair, or an empty row. */
export function rowsOf(mapping: Readonly<Record<string, string>> = {}): readonly MappingRow[] {
  const pairs = Object.entries(mapping);
  if (pairs.length === 0) return [{ key: 0, from: null, to: null }];
  return pairs.map(([from, to], key) => ({ key, from, to }));
}

/** `customerId`, `customer_id` and `CustomerID` are the same. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}
