/** Reads the rows of enum tables, which are part of the catalog: they change only when it is read again. */

import type { Database } from '../client/pool.ts';
import { queryRows } from '../sql/rows.ts';
import { ident, integer, sql } from '../sql/sql.ts';
import { type Catalog, type CatalogEnumValue, type CatalogRelation, relationKey } from './catalog-types.ts';

export interface EnumTableName {
  readonly schema: string;
  readonly name: string;
}

/** The maximum number of values of an enum. */
const MOST_VALUES = 5_000;

/** Returns `catalog` with the values of those of `tables` that have the shape of an enum table. */
export async function withEnumValues(
  catalog: Catalog,
  tables: readonly EnumTableName[],
  database: Database,
): Promise<Catalog> {
  const enumValues = new Map<string, readonly CatalogEnumValue[]>();
  for (const { schema, name } of tables) {
    const key = relationKey(schema, name);
    const relation = catalog.relations.get(key);
    // One after the other, because they may run in one transaction, which must not fail.
    const values = relation && hasShape(relation) ? await readValues(relation, database) : [];
    enumValues.set(key, values);
  }
  return { ...catalog, enumValues };
}

/** Whether `catalog` has the values of all of `tables`. */
export function knowsEnums(catalog: Catalog, tables: readonly EnumTableName[]): boolean {
  return tables.every(({ schema, name }) => catalog.enumValues?.has(relationKey(schema, name)));
}

function hasShape({ columns, primaryKey }: CatalogRelation): boolean {
  return primaryKey?.columns.length === 1 && columns.length <= 2;
}

async function readValues(relation: CatalogRelation, database: Database): Promise<readonly CatalogEnumValue[]> {
  const key = relation.primaryKey?.columns[0] ?? '';
  const comment = relation.columns.find(({ name }) => name !== key)?.name;
  const from = ident(relation.schema, relation.name);
  const described = comment === undefined ? sql`null` : ident(comment);
  const rows = await queryRows(
    (run) => database.query(run, { reads: true }),
    sql`select ${ident(key)}::text as value, ${described}::text as comment from ${from} order by 1 limit ${integer(MOST_VALUES)}`,
    ['value', 'comment'],
  );
  return rows.map((row) => ({ value: row.value ?? '', comment: row.comment || undefined }));
}
