/** Rejects SQL that alters a function so that a computed field or root field can no longer use it. */
import type { QualifiedFunction } from '@joinery/metadata/schema/functions';
import type { Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../../base/errors.ts';
import { type Catalog, type CatalogFunction, relationKey } from '../../../postgres/catalog/catalog-types.ts';

/**
 * Throws `dependency-error` for a function that was replaced by another, unless `cascade` drops what used it, and
 * `not-supported` if SQL made a function in use volatile, or overloaded it.
 */
export function rejectAlteredFunctions(source: Source, before: Catalog, after: Catalog, cascade: boolean): void {
  for (const { table, computed_fields = [] } of source.tables) {
    for (const { name, definition } of computed_fields) {
      const { schema, name: called } = definition.function;
      const had = only(before, definition.function);
      const has = functionsOf(after, definition.function);
      if (had === undefined) continue;
      if (!cascade && isReplaced(had, has)) {
        throw dropped(`computed field ${plain(table.schema, table.name)}.${name} in source "${source.name}"`);
      }
      if (!has.some(({ oid }) => oid === had.oid)) continue;
      const whose = `function "${plain(schema, called)}" associated with computed field "${name}" of table "${plain(table.schema, table.name)}"`;
      if (has.length > 1) throw notSupported(`The ${whose} is being overloaded`);
      if (isMadeVolatile(had, has)) {
        throw notSupported(`The type of ${whose} is being altered to "VOLATILE"`);
      }
    }
  }
  for (const { function: tracked } of source.functions ?? []) {
    const had = only(before, tracked);
    const has = functionsOf(after, tracked);
    if (had === undefined || !has.some(({ oid }) => oid === had.oid)) continue;
    const whose = `function "${plain(tracked.schema, tracked.name)}"`;
    if (has.length > 1) throw notSupported(`The ${whose} is tracked, and is being overloaded`);
    if (isMadeVolatile(had, has)) throw notSupported(`The type of tracked ${whose} is being altered to "VOLATILE"`);
  }
}

function isMadeVolatile(had: CatalogFunction, [now]: readonly CatalogFunction[]): boolean {
  return had.volatility !== 'volatile' && now?.volatility === 'volatile';
}

/** Whether another function with other arguments has replaced it. */
function isReplaced(had: CatalogFunction, has: readonly CatalogFunction[]): boolean {
  const [now] = has;
  return now !== undefined && !has.some(({ oid }) => oid === had.oid) && signature(now) !== signature(had);
}

function signature(one: CatalogFunction): string {
  return one.arguments.map(({ type }) => type).join();
}

function functionsOf({ functions }: Catalog, { schema, name }: QualifiedFunction): readonly CatalogFunction[] {
  return functions.get(relationKey(schema, name)) ?? [];
}

function only(catalog: Catalog, name: QualifiedFunction): CatalogFunction | undefined {
  const [found, second] = functionsOf(catalog, name);
  return second === undefined ? found : undefined;
}

function plain(schema: string, name: string): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

function dropped(dependent: string): ServiceError {
  return new ServiceError('dependency-error', `cannot drop due to the following dependent objects: ${dependent}`, {
    path: '$.args',
  });
}

function notSupported(message: string): ServiceError {
  return new ServiceError('not-supported', message, { path: '$.args' });
}
