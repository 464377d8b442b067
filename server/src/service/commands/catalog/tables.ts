/** `pg_get_source_tables`: the tables and views of a source. */
import { GetSourceTables } from '@joinery/metadata/api/sources/catalog';
import type { SourceName } from '@joinery/metadata/names';
import { ServiceError } from '../../../base/errors.ts';
import type { RelationName } from '../../../postgres/catalog/catalog-row.ts';
import type { Catalog } from '../../../postgres/catalog/catalog-types.ts';
import type { Database } from '../../../postgres/client/pool.ts';
import type { CommandContext, CommandResult, Progress, ServiceCommand } from '../../metadata/command-context.ts';
import { readSource } from '../../metadata/external-state.ts';
import { readCommand } from '../command.ts';

/** Reads the tables and views from the database, sorted by schema and name. */
export const getSourceTables: ServiceCommand<CommandResult<'get_source_tables'>> = readCommand(
  GetSourceTables,
  async ({ source }, progress, context) => {
    const { catalog } = await readCatalogOf(source, progress, context);
    const tables = [...catalog.relations.values()].map((one) => ({ name: one.name, schema: one.schema }));
    const key = (table: { schema: string; name: string }) => `${table.schema}\0${table.name}`;
    return tables.sort((one, other) => (key(one) < key(other) ? -1 : 1));
  },
);

interface CatalogReading {
  readonly catalog: Catalog;
  /** Runs in the transaction of a bulk where it has begun one. */
  readonly query: Database['query'];
}

/**
 * Reads the catalog of a source, or of the relation `only`. Throws `not-exists` or the error of reading it, at
 * `$.args.source`.
 */
export async function readCatalogOf(
  name: SourceName,
  { state }: Progress,
  context: CommandContext,
  only?: RelationName,
): Promise<CatalogReading> {
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
