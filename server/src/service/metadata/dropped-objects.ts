/** The metadata objects that a change drops beside those it names, so that a response with `cascade` lists all of them. */
import type { DroppedObject } from '@joinery/metadata/api/metadata';
import type { Metadata } from '@joinery/metadata/metadata';
import type { TableEntry } from '@joinery/metadata/schema/tables';
import { plainName } from '../../model/inconsistencies/metadata-entries.ts';

/** The objects of `before` that are not in `after`; the objects within a dropped one are listed as well. */
export function droppedObjects(before: Metadata, after: Metadata): readonly DroppedObject[] {
  if (before === after) return [];
  const left = new Set(objectsOf(after).map(identity));
  return objectsOf(before).filter((one) => !left.has(identity(one)));
}

/** Returns `dropped` of a response, for a spread; an empty object where nothing was dropped. */
export function writeDropped(dropped: readonly DroppedObject[] = []): { readonly dropped?: readonly DroppedObject[] } {
  return dropped.length === 0 ? {} : { dropped };
}

function identity({ type, name }: DroppedObject): string {
  return `${type}\0${name}`;
}

type Members = Readonly<Record<string, unknown>>;

function objectsOf(metadata: Metadata): readonly DroppedObject[] {
  return [
    ...metadata.sources.flatMap((source) => [
      object('source', source.name, '', { name: source.name }),
      ...source.tables.flatMap((entry) => tableObjects(entry, source.name)),
      ...(source.functions ?? []).flatMap((entry) => {
        const name = `${plainName(entry.function)} in source ${source.name}`;
        const roles = named('function_permission', entry.permissions, 'role', ` in function ${name}`);
        return [object('function', name, '', entry.function), ...roles];
      }),
      ...(source.logical_models ?? []).flatMap((model) => {
        const name = `${model.name} in source ${source.name}`;
        const roles = named('select_permission', model.select_permissions, 'role', ` in logical_model ${name}`);
        return [object('logical_model', name, '', model), ...roles];
      }),
      ...(source.native_queries ?? []).flatMap((query) => {
        const name = `${query.root_field_name} in source ${source.name}`;
        const within = ` in native_query ${name}`;
        return [
          object('native_query', name, '', query),
          ...named('object_relation', query.object_relationships, 'name', within),
          ...named('array_relation', query.array_relationships, 'name', within),
        ];
      }),
    ]),
    ...(metadata.remote_schemas ?? []).flatMap((remote) => {
      const within = ` in remote schema ${remote.name}`;
      const types = remote.remote_relationships ?? [];
      return [
        object('remote_schema', remote.name, '', remote),
        ...named('remote_schema_permission', remote.permissions, 'role', within),
        ...types.flatMap(({ type_name, relationships }) =>
          named('remote_schema_remote_relationship', relationships, 'name', ` in type ${type_name}${within}`),
        ),
      ];
    }),
    ...(metadata.actions ?? []).flatMap((action) => [
      object('action', action.name, '', action),
      ...named('action_permission', action.permissions, 'role', ` in action ${action.name}`),
    ]),
    ...typeObjects(metadata.custom_types),
    ...named('inherited_role', metadata.inherited_roles, 'role_name', ''),
    ...(metadata.query_collections ?? []).flatMap((collection) => [
      object('query_collections', collection.name, '', collection),
      ...named('query_collections', collection.definition.queries, 'name', ` in ${collection.name}`),
    ]),
    ...named('allowlist', metadata.allowlist, 'collection', ''),
    ...named('rest_endpoint', metadata.rest_endpoints, 'name', ''),
    ...named('cron_trigger', metadata.cron_triggers, 'name', ''),
  ];
}

/** The lists of a table whose members are objects, with the type of the members and what names them. */
const tableLists: readonly (readonly [list: string, type: string, name: string])[] = [
  ['object_relationships', 'object_relation', 'name'],
  ['array_relationships', 'array_relation', 'name'],
  ['computed_fields', 'computed_field', 'name'],
  ['remote_relationships', 'remote_relationship', 'name'],
  ['insert_permissions', 'insert_permission', 'role'],
  ['select_permissions', 'select_permission', 'role'],
  ['update_permissions', 'update_permission', 'role'],
  ['delete_permissions', 'delete_permission', 'role'],
  ['event_triggers', 'event_trigger', 'name'],
];

function tableObjects(entry: TableEntry, source: string): readonly DroppedObject[] {
  const { column_config = {}, custom_column_names = {} } = entry.configuration ?? {};
  const name = `${plainName(entry.table)} in source ${source}`;
  const settings = Object.entries({ ...custom_column_names, ...column_config });
  return [
    object('table', name, '', entry.table),
    ...settings.map(([column, setting]) => object('table_configuration', column, ` of table ${name}`, setting)),
    ...tableLists.flatMap(([list, type, member]) => named(type, entry[list], member, ` in table ${name}`)),
  ];
}

function typeObjects(types: Metadata['custom_types']): readonly DroppedObject[] {
  if (types === undefined) return [];
  return [
    ...Object.values(types).flatMap((list) => named('custom_type', list, 'name', '')),
    ...types.objects.flatMap(({ name, relationships }) =>
      named('action_relationship', relationships, 'name', ` in type ${name}`),
    ),
  ];
}

function named(type: string, list: unknown, member: string, within: string): readonly DroppedObject[] {
  if (!Array.isArray(list)) return [];
  return list.map((one: Members) => object(type, String(one[member]), within, one));
}

function object(type: string, name: string, within: string, definition: unknown): DroppedObject {
  return { type, name: `${type} ${name}${within}`, definition };
}
