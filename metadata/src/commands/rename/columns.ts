/** Renames columns everywhere in the metadata after they were renamed in the database. */

import { renameColumnsOfTrigger } from '../../event-triggers/rename.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Metadata } from '../../metadata.ts';
import { DEFAULT_SOURCE, type QualifiedTable, type SourceName } from '../../names.ts';
import type { ActionRelationship, CustomTypes } from '../../schema/actions.ts';
import type { Relationship, RemoteRelationship } from '../../schema/relationships.ts';
import { changeToSource, type ToFunction, type ToTable } from '../../schema/relationships.ts';
import type { Source } from '../../schema/sources.ts';
import type { TableConfiguration, TableEntry } from '../../schema/tables.ts';
import { sameTable } from '../edit/change.ts';
import type { EditContext } from '../edit/command.ts';
import { changeTypeTargets } from '../remote-schemas/type-relationships.ts';
import { changeNativeRelationships } from './native-relationships.ts';
import { rewriteRules } from './rewrite-rules.ts';

/** The renamed columns of one table. */
export interface ColumnRenames {
  /** The table by its name in `metadata`. */
  readonly table: QualifiedTable;
  /** Old name to new name. */
  readonly columns: ReadonlyMap<string, string>;
}

type NewName = <Name extends string>(table: QualifiedTable, column: Name) => Name;

/** Applies all renames simultaneously, so that two columns can swap names. */
export function renameColumns(
  metadata: Metadata,
  sourceName: SourceName,
  renames: readonly ColumnRenames[],
  context?: EditContext,
): Metadata {
  const newName = <Name extends string>(table: QualifiedTable, column: Name): Name =>
    (renames.find((one) => sameTable(one.table, table))?.columns.get(column) ?? column) as Name;
  const renaming = { relationship: (_table: QualifiedTable, name: string) => name, table: same, column: newName };
  // Rules first: resolving them needs the old names.
  const rewritten = rewriteRules(metadata, sourceName, renaming, context);
  const toColumns = targetColumns(sourceName, newName);
  return {
    ...rewritten,
    sources: rewritten.sources.map((source) => renameInSource(source, sourceName, newName)),
    ...(rewritten.remote_schemas && {
      remote_schemas: rewritten.remote_schemas.map((one) => changeTypeTargets(one, toColumns)),
    }),
    ...(rewritten.custom_types && { custom_types: renameInTypes(rewritten.custom_types, sourceName, newName) }),
  };
}

function same<Value>(value: Value): Value {
  return value;
}

function renameInSource(source: Source, renamed: SourceName, newName: NewName): Source {
  const isRenamed = source.name === renamed;
  const tables = source.tables.map((entry) => {
    const here: Here = (column) => (isRenamed ? newName(entry.table, column) : column);
    const { remote_relationships } = entry;
    const joined =
      remote_relationships === undefined
        ? entry
        : {
            ...entry,
            remote_relationships: remote_relationships.map((one) => renameInRemote(one, here, renamed, newName)),
          };
    return isRenamed ? renameInTable(joined, here, newName) : joined;
  });
  if (!isRenamed) return { ...source, tables };
  return changeNativeRelationships({ ...source, tables }, (using) => {
    const there: Here = (column) => newName(using.remote_table, column);
    return { ...using, column_mapping: mappingRenamed(using.column_mapping, same, there) };
  });
}

const permissionKinds = ['insert_permissions', 'select_permissions', 'update_permissions', 'delete_permissions'];

type Here = <Name extends string>(column: Name) => Name;

function renameInTable(entry: TableEntry, here: Here, newName: NewName): TableEntry {
  const renamed: Record<string, unknown> = { ...entry };
  if (entry.configuration !== undefined) renamed.configuration = renameInConfiguration(entry.configuration, here);
  for (const kind of ['object_relationships', 'array_relationships'] as const) {
    const relationships = entry[kind];
    if (relationships === undefined) continue;
    renamed[kind] = relationships.map((one) => renameInRelationship(one, here, newName));
  }
  for (const kind of permissionKinds) {
    renameList(renamed, kind, (one) => ({ ...one, permission: renameInPermission(one.permission, here) }));
  }
  const { event_triggers: triggers } = entry;
  if (triggers !== undefined) renamed.event_triggers = triggers.map((one) => renameColumnsOfTrigger(one, here));
  return renamed as TableEntry;
}

function renameList(entry: Record<string, unknown>, member: string, rename: (one: JsonObject) => unknown): void {
  const list = entry[member];
  if (Array.isArray(list)) entry[member] = list.map((one: unknown) => (isJsonObject(one) ? rename(one) : one));
}

function renameInConfiguration(configuration: TableConfiguration, here: Here): TableConfiguration {
  const { column_config, custom_column_names } = configuration;
  return {
    ...configuration,
    ...(column_config && { column_config: keysRenamed(column_config, here) }),
    ...(custom_column_names && { custom_column_names: keysRenamed(custom_column_names, here) }),
  };
}

/** Renames columns in a permission, except in its row rules. */
function renameInPermission(permission: unknown, here: Here): unknown {
  if (!isJsonObject(permission)) return permission;
  const { columns, set } = permission;
  return {
    ...permission,
    ...(Array.isArray(columns) && { columns: namesRenamed(columns, here) }),
    ...(isJsonObject(set) && { set: keysRenamed(set, here) }),
  };
}

function renameInRelationship(relationship: Relationship, here: Here, newName: NewName): Relationship {
  const { using } = relationship;
  if ('manual_configuration' in using) {
    const { manual_configuration: manual } = using;
    const column_mapping = mappingRenamed(manual.column_mapping, here, (column) =>
      'remote_table' in manual ? newName(manual.remote_table, column) : column,
    );
    return { ...relationship, using: { manual_configuration: { ...manual, column_mapping } } };
  }
  const on = using.foreign_key_constraint_on;
  if (!('table' in on)) {
    return { ...relationship, using: { foreign_key_constraint_on: on.map((column) => here(column)) } };
  }
  const there: Here = (column) => newName(on.table, column);
  const key =
    'column' in on
      ? { ...on, column: there(on.column) }
      : { ...on, columns: on.columns.map((column) => there(column)) };
  return { ...relationship, using: { foreign_key_constraint_on: key } } as Relationship;
}

/** Renames the keys of a relationship that are columns; computed fields keep their names. */
function renameInRemote(
  relationship: RemoteRelationship,
  here: Here,
  renamed: SourceName,
  newName: NewName,
): RemoteRelationship {
  if ('definition' in relationship) {
    const definition = changeToSource(keysOfDefinition(relationship.definition, here), targetColumns(renamed, newName));
    return { ...relationship, definition } as RemoteRelationship;
  }
  return keysOfDefinition(relationship, here);
}

function keysOfDefinition<Definition extends object>(definition: Definition, here: Here): Definition {
  const changed = { ...definition } as Record<string, unknown>;
  const { to_source, to_remote_schema, to_action } = changed;
  if (isJsonObject(to_source) && isJsonObject(to_source.field_mapping)) {
    changed.to_source = { ...to_source, field_mapping: keysRenamed(to_source.field_mapping, here) };
  }
  if (isJsonObject(to_remote_schema)) changed.to_remote_schema = keysOfRemote(to_remote_schema, 'lhs_fields', here);
  if (isJsonObject(to_action))
    changed.to_action = { ...to_action, arguments: variablesRenamed(to_action.arguments, here) };
  return ('hasura_fields' in changed ? keysOfRemote(changed, 'hasura_fields', here) : changed) as Definition;
}

function keysOfRemote(definition: JsonObject, keys: 'lhs_fields' | 'hasura_fields', here: Here): JsonObject {
  const list = definition[keys];
  return {
    ...definition,
    [keys]: Array.isArray(list) ? namesRenamed(list, here) : list,
    remote_field: stepsRenamed(definition.remote_field, here),
  };
}

/** Fields of the remote schema, each with its arguments and the field below it. */
function stepsRenamed(step: unknown, here: Here): unknown {
  if (!isJsonObject(step)) return step;
  const fields = Object.entries(step).map(([name, inner]): [string, unknown] => [
    name,
    isJsonObject(inner)
      ? {
          ...inner,
          arguments: variablesRenamed(inner.arguments, here),
          ...('field' in inner && { field: stepsRenamed(inner.field, here) }),
        }
      : inner,
  ]);
  return Object.fromEntries(fields);
}

/** Renames keys in strings that start with `$`, at any depth. */
function variablesRenamed(value: unknown, here: Here): unknown {
  if (typeof value === 'string') return value.startsWith('$') ? `$${here(value.slice(1))}` : value;
  if (Array.isArray(value)) return value.map((item: unknown) => variablesRenamed(item, here));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, variablesRenamed(member, here)]));
}

/** Renames target columns of a relationship to a table; targets that are functions have arguments instead. */
function targetColumns(renamed: SourceName, newName: NewName) {
  return <Target extends ToTable | ToFunction>(target: Target): Target => {
    if (target.source !== renamed || !('table' in target)) return target;
    const field_mapping = mappingRenamed(target.field_mapping, same, (column) => newName(target.table, column));
    return { ...target, field_mapping };
  };
}

function renameInTypes(types: CustomTypes, renamed: SourceName, newName: NewName): CustomTypes {
  const objects = types.objects.map((type) => {
    const relationships = type.relationships?.map((one): ActionRelationship => {
      if ('definition' in one) {
        return { ...one, definition: changeToSource(one.definition, targetColumns(renamed, newName)) };
      }
      if ((one.source ?? DEFAULT_SOURCE) !== renamed) return one;
      const there: Here = (column) => newName(one.remote_table, column);
      return { ...one, field_mapping: mappingRenamed(one.field_mapping, same, there) };
    });
    return { ...type, ...(relationships && { relationships }) };
  });
  return { ...types, objects };
}

function keysRenamed<Value>(record: Readonly<Record<string, Value>>, here: Here): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [here(name), value]));
}

function mappingRenamed<Name extends string>(
  mapping: Readonly<Record<string, Name>>,
  left: Here,
  right: Here,
): Record<string, Name> {
  const entries = Object.entries(mapping).map(([name, column]) => [left(name), right(column)]);
  return Object.fromEntries(entries) as Record<string, Name>;
}

function namesRenamed(list: readonly unknown[], here: Here): unknown[] {
  return list.map((name) => (typeof name === 'string' ? here(name) : name));
}
