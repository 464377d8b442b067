/** Models with native queries, on a catalog with the tables `author` and `article`. */
import { Metadata } from '@joinery/metadata/metadata';
import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import type { Model } from '../../../src/model/model.ts';
import type { Table } from '../../../src/model/types/table.ts';
import type { QueryShape } from '../../../src/postgres/catalog/catalog-types.ts';
import { catalogOf, resolveSources } from './catalog.ts';

export const nativeCatalog = catalogOf({
  author: { columns: { id: 'int4!', name: 'text' }, key: ['id'] },
  article: { columns: { id: 'int4!', author_id: 'int4!' }, key: ['id'] },
});

/** The logical model of `query`. */
export const rowModel = {
  name: 'row',
  fields: [
    { name: 'id', type: 'int' },
    { name: 'name', type: 'text', nullable: true },
  ],
};

export const rowsQuery = {
  root_field_name: 'rows',
  code: 'select id, name from author where id > {{least}}',
  arguments: { least: { type: 'integer' } },
  returns: 'row',
};

export interface NativeParts {
  /** Default: `rowModel`. */
  readonly models?: readonly unknown[];
  /** Default: `rowsQuery`. */
  readonly queries?: readonly unknown[];
  /** Other members of the source, such as `customization`. */
  readonly source?: object;
  /** Other members of the metadata. */
  readonly metadata?: object;
  /** What PostgreSQL describes, by statement. */
  readonly shapes?: Readonly<Record<string, QueryShape>>;
}

/** Resolves metadata whose default source has the table `author`, the logical models and the native queries. */
export function resolveNative({ models = [rowModel], queries = [rowsQuery], ...parts }: NativeParts): Model {
  const source = {
    name: 'default',
    tables: [{ table: 'author' }],
    logical_models: models,
    native_queries: queries,
    ...parts.source,
  };
  const catalog = { ...nativeCatalog, queries: new Map(Object.entries(parts.shapes ?? {})) };
  const metadata = Metadata.parse({ version: 3, sources: [source], ...parts.metadata });
  return resolveSources([], new Map([[DEFAULT_SOURCE, catalog]]), { metadata });
}

/** Returns the rows of a native query of the default source. Throws if it was dropped. */
export function nativeTable(model: Model, root = 'rows'): Table {
  const table = model.sources.get(DEFAULT_SOURCE)?.nativeQueries?.get(root);
  if (table === undefined) throw new Error(`no native query ${root}; ${JSON.stringify(model.inconsistencies)}`);
  return table;
}

/** Returns the root fields of the native queries of the default source. */
export function nativeRoots(model: Model): readonly string[] {
  return [...(model.sources.get(DEFAULT_SOURCE)?.nativeQueries?.keys() ?? [])];
}
