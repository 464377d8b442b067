/** Tables that SQL has renamed or moved to another schema: the same object for Postgres, so the same for the metadata. */
import { renameTable } from '@joinery/metadata/commands/rename-table';
import type { Metadata } from '@joinery/metadata/metadata';
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { Model } from '../model/model.ts';
import { relationKey } from '../postgres/catalog-types.ts';
import type { Query } from '../postgres/pool.ts';
import { surroundings } from './surroundings.ts';

/** By oid. */
export type Relations = ReadonlyMap<string, QualifiedTable>;

export async function readRelations(query: Query): Promise<Relations> {
  const { rows } = await query({
    text: `select c.oid, n.nspname, c.relname
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')`,
    values: [],
  });
  return new Map(rows.map(([oid, schema, name]) => [oid ?? '', { schema: schema ?? '', name: name ?? '' }]));
}

/** The metadata with the new names of tracked tables that have other ones in the database now than in `before`. */
export async function followRenames(
  metadata: Metadata,
  source: SourceName,
  before: Relations,
  query: Query,
  model: Model,
): Promise<Metadata> {
  const after = await readRelations(query);
  const tracked = new Set(
    metadata.sources
      .filter((one) => one.name === source)
      .flatMap((one) => one.tables.map(({ table }) => relationKey(table.schema, table.name))),
  );
  const renames = [...before].flatMap(([oid, from]) => {
    const to = after.get(oid);
    const moved = to !== undefined && relationKey(to.schema, to.name) !== relationKey(from.schema, from.name);
    return moved && tracked.has(relationKey(from.schema, from.name)) ? [{ from, to }] : [];
  });
  return renames.length === 0 ? metadata : renameTable(metadata, source, renames, surroundings(model));
}
