/** `pg_get_dependents`: the metadata objects that would be lost if objects of the database were dropped. */
import { GetDependents } from '@joinery/metadata/api/sources/catalog';
import { sameTable } from '@joinery/metadata/commands/edit/change';
import { dropObjects } from '@joinery/metadata/document/drop';
import type { z } from 'zod';
import { ServiceError } from '../../../base/errors.ts';
import { type Catalog, relationKey } from '../../../postgres/catalog/catalog-types.ts';
import { dropNewInconsistencies, nextState } from '../../metadata/apply-edit.ts';
import type { CommandResult, ServiceCommand } from '../../metadata/command-context.ts';
import { droppedObjects } from '../../metadata/dropped-objects.ts';
import { newInconsistencies, writeInconsistencies } from '../../metadata/inconsistencies.ts';
import { showCommand } from '../command.ts';

type Dropped = z.output<typeof GetDependents>;

/** Resolves the metadata with a catalog that lacks the objects. The catalog is not read again, and nothing is locked. */
export const getDependents: ServiceCommand<CommandResult<'get_dependents'>> = showCommand(
  GetDependents,
  async (dropped, progress, context) => {
    const { metadata, external, model } = progress.state;
    const catalog = external.catalogs.get(dropped.source);
    if (catalog instanceof ServiceError) throw catalog.under('$.args.source');
    if (catalog === undefined) {
      const message = `source with name "${dropped.source}" does not exist`;
      throw new ServiceError('not-exists', message, { path: '$.args.source' });
    }
    const catalogs = new Map(external.catalogs).set(dropped.source, without(catalog, dropped));
    const untracked = metadata.sources.flatMap((source, sourceIndex) =>
      source.name !== dropped.source
        ? []
        : source.tables.flatMap(({ table }, index) =>
            dropped.tables?.some((one) => sameTable(one, table)) === true
              ? [`$.sources[${sourceIndex}].tables[${index}]`]
              : [],
          ),
    );
    const left = untracked.length === 0 ? metadata : dropObjects(metadata, untracked).metadata;
    const read = { ...progress, state: { ...progress.state, external: { ...external, catalogs } } };
    // A new object, so that the metadata is resolved although it is the same.
    const state = await nextState({ ...left }, read, context);
    const dependents = await newInconsistencies(model, state.model);
    const after = dependents.length === 0 ? state : await dropNewInconsistencies(model, state, context);
    return { dependents: writeInconsistencies(dependents), removed: droppedObjects(metadata, after.metadata) };
  },
);

/** Returns the catalog as it would be after the drop. */
function without(catalog: Catalog, { tables, columns, functions }: Dropped): Catalog {
  const relations = new Map(catalog.relations);
  for (const { schema, name } of tables ?? []) relations.delete(relationKey(schema, name));
  for (const { table, column } of columns ?? []) {
    const key = relationKey(table.schema, table.name);
    const relation = relations.get(key);
    if (relation === undefined) continue;
    const has = (key: { readonly columns: readonly string[] }): boolean => key.columns.includes(column);
    relations.set(key, {
      ...relation,
      columns: relation.columns.filter(({ name }) => name !== column),
      primaryKey: relation.primaryKey && has(relation.primaryKey) ? undefined : relation.primaryKey,
      uniqueKeys: relation.uniqueKeys.filter((key) => !has(key)),
      foreignKeys: relation.foreignKeys.filter((key) => !has(key)),
    });
  }
  const routines = new Map(catalog.functions);
  for (const { schema, name } of functions ?? []) routines.delete(relationKey(schema, name));
  return { ...catalog, relations, functions: routines };
}
