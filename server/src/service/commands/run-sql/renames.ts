/** Tables and columns that SQL has renamed: the same objects for PostgreSQL, so the same for the metadata. */
import { type ColumnRenames, renameColumns } from '@joinery/metadata/commands/rename/columns';
import { renameTable } from '@joinery/metadata/commands/rename/table';
import type { Metadata } from '@joinery/metadata/metadata';
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { Model } from '../../../model/model.ts';
import { relationKey } from '../../../postgres/catalog/catalog-types.ts';
import type { Query } from '../../../postgres/client/pool.ts';
import { editContext } from '../../metadata/edit-context.ts';

type RelationNames = QualifiedTable & {
  /** By attnum, which stays when a column is renamed and is not used again when it is dropped. */
  readonly columns: ReadonlyMap<string, string>;
};

/** The tracked relations of a source, by oid. */
export type Relations = ReadonlyMap<string, RelationNames>;

/** The names of the tables that the metadata tracks in the source, before SQL changes them. */
export function readRelations(query: Query, metadata: Metadata, source: SourceName): Promise<Relations> {
  const tables = metadata.sources.find(({ name }) => name === source)?.tables ?? [];
  const [schemas, names] = [tables.map(({ table }) => table.schema), tables.map(({ table }) => table.name)];
  return relationsWhere(query, '(n.nspname, c.relname) in (select * from unnest($1::text[], $2::text[]))', [
    schemas,
    names,
  ]);
}

async function relationsWhere(query: Query, condition: string, values: readonly unknown[]): Promise<Relations> {
  const { rows } = await query({
    text: `select c.oid, n.nspname, c.relname, coalesce(
        (select json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '{}')
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${condition}`,
    values: [...values],
  });
  return new Map(
    rows.map(([oid, schema, name, columns]) => [
      oid ?? '',
      {
        schema: schema ?? '',
        name: name ?? '',
        columns: new Map(Object.entries(JSON.parse(columns ?? '{}') as Record<string, string>)),
      },
    ]),
  );
}

/** The metadata with the new names of tables and columns that have other ones in the database now than in `before`. */
export async function followRenames(
  metadata: Metadata,
  source: SourceName,
  before: Relations,
  query: Query,
  model: Model,
): Promise<Metadata> {
  if (before.size === 0) return metadata;
  const after = await relationsWhere(query, 'c.oid = any ($1::oid[])', [[...before.keys()]]);
  const pairs = [...before].flatMap(([oid, from]) => {
    const to = after.get(oid);
    return to === undefined ? [] : [{ from, to }];
  });
  const columns = pairs.flatMap(({ from, to }): ColumnRenames[] => {
    const renamed = [...from.columns].flatMap(([position, name]) => {
      const now = to.columns.get(position);
      return now === undefined || now === name ? [] : [[name, now] as const];
    });
    return renamed.length === 0 ? [] : [{ table: nameOf(from), columns: new Map(renamed) }];
  });
  const tables = pairs
    .filter(({ from, to }) => relationKey(to.schema, to.name) !== relationKey(from.schema, from.name))
    .map(({ from, to }) => ({ from: nameOf(from), to: nameOf(to) }));
  const around = editContext(model);
  // Columns first, by the names that their tables had.
  const followed = columns.length === 0 ? metadata : renameColumns(metadata, source, columns, around);
  return tables.length === 0 ? followed : renameTable(followed, source, tables, around);
}

function nameOf({ schema, name }: RelationNames): QualifiedTable {
  return { schema, name };
}
