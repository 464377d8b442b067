/** `pg_get_source_functions`: the functions of a source that return rows of a table, and why some cannot be tracked. */

import { GetSourceFunctions, type SourceFunction } from '@joinery/metadata/api/sources/catalog';
import { findTable, sameTable, tableLabel } from '@joinery/metadata/commands/edit/change';
import type { QualifiedName } from '@joinery/metadata/document/exported-metadata';
import type { Metadata } from '@joinery/metadata/metadata';
import type { SourceName } from '@joinery/metadata/names';
import type { Catalog, CatalogFunction } from '../../../postgres/catalog/catalog-types.ts';
import type { CommandResult, ServiceCommand } from '../../metadata/command-context.ts';
import { readCommand } from '../command.ts';
import { readCatalogOf } from './tables.ts';

/** Reads the functions from the database, sorted by schema and name; an overloaded function is listed once. */
export const getSourceFunctions: ServiceCommand<CommandResult<'get_source_functions'>> = readCommand(
  GetSourceFunctions,
  async ({ source }, progress, context) => {
    const { catalog } = await readCatalogOf(source, progress, context);
    const { metadata } = progress.state;
    const functions = [...catalog.functions.values()].flatMap((overloads) => {
      const first = overloads.find(({ returnsRelation }) => returnsRelation !== undefined);
      if (first?.returnsRelation === undefined) return [];
      return [describeFunction(first, first.returnsRelation, overloads.length, source, metadata, catalog)];
    });
    const key = (one: { schema: string; name: string }) => `${one.schema}\0${one.name}`;
    return functions.sort((one, other) => (key(one) < key(other) ? -1 : 1));
  },
);

function describeFunction(
  found: CatalogFunction,
  returns: QualifiedName,
  overloads: number,
  source: SourceName,
  metadata: Metadata,
  { types }: Catalog,
): SourceFunction {
  const { schema, name, returnsSet, volatility, variadic, comment } = found;
  const tracked = metadata.sources
    .find((one) => one.name === source)
    ?.functions?.some((one) => sameTable(one.function, { schema, name }));
  const problem = problemOf();
  return {
    schema,
    name,
    arguments: found.arguments.map((one) => ({
      name: one.name,
      type: types.get(one.type)?.name ?? 'unknown',
      has_default: one.hasDefault,
    })),
    returns,
    returns_set: returnsSet,
    volatility,
    comment: comment ?? null,
    tracked: tracked === true,
    ...(problem !== undefined && { problem }),
  };

  function problemOf(): string | undefined {
    if (overloads > 1) return 'it is overloaded: there are several functions of this name';
    if (variadic) return 'it takes a variadic argument';
    if (findTable(metadata, { source, table: returns }) !== undefined) return undefined;
    return `the table ${tableLabel(returns)}, whose rows it returns, is not tracked`;
  }
}
