/** Sorts the lists of metadata. */
import type { Metadata } from '../metadata.ts';
import type { LogicalModel, NativeQuery } from '../native-queries/schema.ts';
import type { Source } from '../schema/sources.ts';
import type { TableEntry } from '../schema/tables.ts';

/**
 * Sorts the lists of the metadata by name, so that equal metadata has equal exports. The lists of the custom types keep
 * their order, which is the order in the GraphQL schema.
 */
export function sortMetadata(metadata: Metadata): Metadata {
  return {
    ...metadata,
    sources: sorted(metadata.sources, (source) => source.name).map(sourceInOrder),
    ...(metadata.remote_schemas && { remote_schemas: sorted(metadata.remote_schemas, (one) => one.name) }),
    ...(metadata.inherited_roles && { inherited_roles: sorted(metadata.inherited_roles, (one) => one.role_name) }),
    ...(metadata.query_collections && { query_collections: sorted(metadata.query_collections, (one) => one.name) }),
    ...(metadata.allowlist && { allowlist: sorted(metadata.allowlist, (one) => one.collection) }),
    ...(metadata.rest_endpoints && { rest_endpoints: sorted(metadata.rest_endpoints, (one) => one.url) }),
    ...(metadata.cron_triggers && { cron_triggers: sorted(metadata.cron_triggers, (one) => one.name) }),
    ...(metadata.actions && { actions: sorted(metadata.actions, (one) => one.name) }),
  };
}

function sourceInOrder(source: Source): Source {
  const key = (entry: TableEntry) => `${entry.table.schema}\0${entry.table.name}`;
  const { functions, native_queries, logical_models } = source;
  return {
    ...source,
    tables: sorted(source.tables, key).map(tableInOrder),
    ...(functions && { functions: sorted(functions, (one) => `${one.function.schema}\0${one.function.name}`) }),
    ...(native_queries && { native_queries: sorted(native_queries, (one) => one.root_field_name).map(queryInOrder) }),
    ...(logical_models && { logical_models: sorted(logical_models, (one) => one.name).map(modelInOrder) }),
  };
}

function queryInOrder(query: NativeQuery): NativeQuery {
  const { object_relationships, array_relationships } = query;
  return {
    ...query,
    ...(object_relationships && { object_relationships: sorted(object_relationships, (one) => one.name) }),
    ...(array_relationships && { array_relationships: sorted(array_relationships, (one) => one.name) }),
  };
}

function modelInOrder(model: LogicalModel): LogicalModel {
  const { select_permissions } = model;
  return { ...model, ...(select_permissions && { select_permissions: sorted(select_permissions, (one) => one.role) }) };
}

/** The tables that were sorted, so that a table that no edit changes remains the same object. */
const sortedTables = new WeakMap<TableEntry, TableEntry>();

function tableInOrder(entry: TableEntry): TableEntry {
  const known = sortedTables.get(entry);
  if (known !== undefined) return known;
  const ordered = withSortedLists(entry);
  sortedTables.set(entry, ordered);
  sortedTables.set(ordered, ordered);
  return ordered;
}

function withSortedLists(entry: TableEntry): TableEntry {
  const { object_relationships, array_relationships, remote_relationships } = entry;
  const { insert_permissions, select_permissions, update_permissions, delete_permissions } = entry;
  return {
    ...entry,
    ...(object_relationships && { object_relationships: sorted(object_relationships, (one) => one.name) }),
    ...(array_relationships && { array_relationships: sorted(array_relationships, (one) => one.name) }),
    ...(entry.computed_fields && { computed_fields: sorted(entry.computed_fields, (one) => one.name) }),
    ...(remote_relationships && { remote_relationships: sorted(remote_relationships, (one) => one.name) }),
    ...(insert_permissions && { insert_permissions: sorted(insert_permissions, (one) => one.role) }),
    ...(select_permissions && { select_permissions: sorted(select_permissions, (one) => one.role) }),
    ...(update_permissions && { update_permissions: sorted(update_permissions, (one) => one.role) }),
    ...(delete_permissions && { delete_permissions: sorted(delete_permissions, (one) => one.role) }),
    ...(entry.event_triggers && { event_triggers: sorted(entry.event_triggers, (one) => one.name) }),
  };
}

function sorted<T>(list: readonly T[], key: (element: T) => string): T[] {
  const keyed = list.map((element) => ({ element, key: key(element) }));
  keyed.sort(({ key: one }, { key: other }) => (one < other ? -1 : one > other ? 1 : 0));
  return keyed.map(({ element }) => element);
}
