/** Follows tables and columns that SQL renamed: the metadata gets their new names. */
import { type ColumnRenames, renameColumns } from '@joinery/metadata/commands/rename/columns';
import { renameTable } from '@joinery/metadata/commands/rename/table';
import type { Metadata } from '@joinery/metadata/metadata';
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { Model } from '../../../model/model.ts';
import { relationKey } from '../../../postgres/catalog/catalog-types.ts';
import type { Query } from '../../../postgres/client/statement-run.ts';
import { queryRows } from '../../../postgres/sql/rows.ts';
import { type Sql, sql, value } from '../../../postgres/sql/sql.ts';
import { editContext } from '../../metadata/apply-edit.ts';

type RelationNames = QualifiedTable & {
  /** By attnum, which a rename does not change and a new column does not reuse. */
  readonly columns: ReadonlyMap<string, string>;
};

/** The tracked relations of a source, by oid. */
export type Relations = ReadonlyMap<string, RelationNames>;

/** Reads the names of the tracked tables of the source. */
export function readRelations(query: Query, metadata: Metadata, source: SourceName): Promise<Relations> {
  const tables = metadata.sources.find(({ name }) => name === source)?.tables ?? [];
  const [schemas, names] = [tables.map(({ table }) => table.schema), tables.map(({ table }) => table.name)];
  return relationsWhere(
    query,
    sql`(n.nspname, c.relname) in (select * from unnest(${value(schemas)}::text[], ${value(names)}::text[]))`,
  );
}

async function relationsWhere(query: Query, condition: Sql): Promise<Relations> {
  const rows = await queryRows(
    query,
    sql`select c.oid, n.nspname, c.relname, coalesce(
        (select json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '{}') as columns
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${condition}`,
    ['oid', 'nspname', 'relname', 'columns'],
  );
  return new Map(
    rows.map(({ oid, nspname, relname, columns }) => [
      oid ?? '',
      {
        schema: nspname ?? '',
        name: relname ?? '',
        columns: new Map(Object.entries(JSON.parse(columns ?? '{}') as Record<string, string>)),
      },
    ]),
  );
}

/** Returns the metadata with the current names of tables and columns that had others in `before`. */
export async function followRenames(
  metadata: Metadata,
  source: SourceName,
  before: Relations,
  query: Query,
  model: Model,
): Promise<Metadata> {
  if (before.size === 0) return metadata;
  const after = await relationsWhere(query, sql`c.oid = any (${value([...before.keys()])}::oid[])`);
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
  // Columns first, by the earlier names of their tables.
  const followed = columns.length === 0 ? metadata : renameColumns(metadata, source, columns, around);
  return tables.length === 0 ? followed : renameTable(followed, source, tables, around);
}

function nameOf({ schema, name }: RelationNames): QualifiedTable {
  return { schema, name };
}
