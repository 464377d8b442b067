/** Renames tables everywhere in the metadata after they were renamed in the database. */

import type { Metadata } from '../../metadata.ts';
import { DEFAULT_SOURCE, type QualifiedTable, type SourceName } from '../../names.ts';
import type { ActionRelationship, CustomTypes } from '../../schema/actions.ts';
import type { Relationship, RemoteRelationship } from '../../schema/relationships.ts';
import { changeToSource, type ToFunction, type ToTable } from '../../schema/relationships.ts';
import type { Source } from '../../schema/sources.ts';
import type { TableEntry } from '../../schema/tables.ts';
import { sameTable } from '../edit/change.ts';
import type { EditContext } from '../edit/command.ts';
import { changeTypeTargets } from '../remote-schemas/type-relationships.ts';
import { changeNativeRelationships } from './native-relationships.ts';
import { rewriteRules } from './rewrite-rules.ts';

export interface TableRename {
  readonly from: QualifiedTable;
  readonly to: QualifiedTable;
}

type NewName = (table: QualifiedTable) => QualifiedTable;

/** Applies all renames simultaneously, so that two tables can swap names. */
export function renameTable(
  metadata: Metadata,
  sourceName: SourceName,
  renames: readonly TableRename[],
  context?: EditContext,
): Metadata {
  const newName: NewName = (table) => renames.find((one) => sameTable(one.from, table))?.to ?? table;
  const same = (_table: QualifiedTable, name: string) => name;
  const renaming = { relationship: same, table: newName, column: same };
  const rewritten = rewriteRules(metadata, sourceName, renaming, context);
  return {
    ...rewritten,
    sources: rewritten.sources.map((source) => renameInSource(source, sourceName, newName)),
    ...(rewritten.remote_schemas && {
      remote_schemas: rewritten.remote_schemas.map((one) => changeTypeTargets(one, renamedIn(sourceName, newName))),
    }),
    ...(rewritten.custom_types && {
      custom_types: renameInTypes(rewritten.custom_types, sourceName, newName),
    }),
  };
}

function renameInSource(source: Source, renamed: SourceName, newName: NewName): Source {
  const tables = source.tables.map((entry) => renameInTable(entry, source.name, renamed, newName));
  if (source.name !== renamed) return { ...source, tables };
  return changeNativeRelationships({ ...source, tables }, (using) => ({
    ...using,
    remote_table: newName(using.remote_table),
  }));
}

function renameInTable(entry: TableEntry, own: SourceName, renamed: SourceName, newName: NewName): TableEntry {
  const remote_relationships = entry.remote_relationships?.map((one) => renameInRemote(one, renamed, newName));
  const remote = { ...entry, ...(remote_relationships && { remote_relationships }) };
  if (own !== renamed) return remote;
  const { object_relationships, array_relationships } = entry;
  const local = (list: readonly Relationship[]) => list.map((one) => renameInRelationship(one, newName));
  return {
    ...remote,
    table: newName(entry.table),
    ...(object_relationships && { object_relationships: local(object_relationships) }),
    ...(array_relationships && { array_relationships: local(array_relationships) }),
  };
}

function renameInRelationship(relationship: Relationship, newName: NewName): Relationship {
  const { using } = relationship;
  if ('manual_configuration' in using) {
    const { manual_configuration: manual } = using;
    if (!('remote_table' in manual)) return relationship;
    return {
      ...relationship,
      using: { manual_configuration: { ...manual, remote_table: newName(manual.remote_table) } },
    };
  }
  const on = using.foreign_key_constraint_on;
  if (!('table' in on)) return relationship;
  return { ...relationship, using: { foreign_key_constraint_on: { ...on, table: newName(on.table) } } };
}

function renameInRemote(relationship: RemoteRelationship, renamed: SourceName, newName: NewName): RemoteRelationship {
  if (!('definition' in relationship)) return relationship;
  return { ...relationship, definition: changeToSource(relationship.definition, renamedIn(renamed, newName)) };
}

function renamedIn(renamed: SourceName, newName: NewName) {
  return <Target extends ToTable | ToFunction>(target: Target): Target =>
    target.source === renamed && 'table' in target ? { ...target, table: newName(target.table) } : target;
}

function renameInTypes(types: CustomTypes, renamed: SourceName, newName: NewName): CustomTypes {
  const objects = types.objects.map((type) => {
    const relationships = type.relationships?.map((one): ActionRelationship => {
      if ('definition' in one)
        return { ...one, definition: changeToSource(one.definition, renamedIn(renamed, newName)) };
      return (one.source ?? DEFAULT_SOURCE) === renamed ? { ...one, remote_table: newName(one.remote_table) } : one;
    });
    return { ...type, ...(relationships && { relationships }) };
  });
  return { ...types, objects };
}
