/** `pg_get_source_tables`: what a source has that could be tracked. */
import { parseArguments } from '@joinery/metadata/commands/edit/arguments';
import { sourceArgument } from '@joinery/metadata/commands/edit/change';
import type { SourceName } from '@joinery/metadata/names';
import { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
import type { RelationName } from '../../../postgres/catalog/catalog-row.ts';
import type { Catalog } from '../../../postgres/catalog/catalog-types.ts';
import type { Database } from '../../../postgres/client/pool.ts';
import { within } from '../../metadata/apply-edit.ts';
import { type Context, metadataApis, type Progress, type ServiceCommand } from '../../metadata/command-context.ts';
import { readSource } from '../../metadata/external-state.ts';

const Arguments = z.strictObject({ source: sourceArgument });

/** The tables and views of the database as it is now, by schema and name. */
export const getSourceTables: ServiceCommand = {
  apis: metadataApis,
  changes: () => false,
  run: async ({ args }, progress, context) => {
    const { source } = within(() => parseArguments(Arguments, args));
    const { catalog } = await readCatalogOf(source, progress, context);
    const tables = [...catalog.relations.values()].map((one) => ({ name: one.name, schema: one.schema }));
    const key = (table: { schema: string; name: string }) => `${table.schema}\0${table.name}`;
    return { progress, answer: tables.sort((one, other) => (key(one) < key(other) ? -1 : 1)) };
  },
};

interface CatalogNow {
  readonly catalog: Catalog;
  /** In the transaction of a bulk, where it has begun one. */
  readonly query: Database['query'];
}

/**
 * The catalog of a source as its database is now, of the relation `only` where one is given. Throws `not-exists`, or why it
 * cannot be read, at `$.args.source`.
 */
export async function readCatalogOf(
  name: SourceName,
  { state }: Progress,
  context: Context,
  only?: RelationName,
): Promise<CatalogNow> {
  const { tools, unit } = context;
  const source = state.metadata.sources.find((one) => one.name === name);
  if (source === undefined) {
    throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
  }
  const catalog = await readSource(source, tools, unit, only);
  if (catalog instanceof ServiceError) throw catalog.under('$.args.source');
  const database = tools.sources.of(source);
  return { catalog, query: unit.isOpen() ? await unit.query(database) : database.query };
}
