/** Sources: add, update, customize, rename and drop. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { DEFAULT_SOURCE, SourceName } from '../names.ts';
import type { ActionRelationship, CustomTypes } from '../schema/actions.ts';
import type { RemoteRelationship } from '../schema/relationships.ts';
import { changeToSource, type Relationship } from '../schema/relationships.ts';
import { healthCheck, QueryTags, type Source, SourceConfiguration, SourceCustomization } from '../schema/sources.ts';
import type { TableEntry } from '../schema/tables.ts';
import { changeSource } from './edit/change.ts';
import { defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';
import { changeTypeTargets } from './remote-schemas/type-relationships.ts';
import { changeEventTargets } from './rename/event-targets.ts';

const AddArguments = z.strictObject({
  name: SourceName,
  kind: z.enum(['postgres', 'citus', 'cockroach', 'alloy']).default('postgres'),
  configuration: SourceConfiguration,
  customization: SourceCustomization.nullish(),
  /** Replaces the settings of an existing source of this name; its tables stay. */
  replace_configuration: z.boolean().default(false),
  health_check: healthCheck,
});

export const addSource = defineCommand({
  name: 'add_source',
  arguments: AddArguments,
  apply: ({ name, kind, configuration, customization, replace_configuration, health_check }, metadata) => {
    const settings = {
      configuration,
      ...(customization && { customization }),
      ...(health_check !== undefined && { health_check }),
    };
    if (metadata.sources.some((source) => source.name === name)) {
      if (!replace_configuration) {
        throw new EditError('already-exists', `source with name "${name}" already exists`, '$.name');
      }
      // An absent customization removes the earlier one.
      return changeSource(metadata, name, ({ customization: _before, ...source }) => ({ ...source, ...settings }));
    }
    return { ...metadata, sources: [...metadata.sources, { name, kind, tables: [], ...settings }] };
  },
  rereads: ({ name }) => [{ kind: 'catalog', source: name }],
});

export const updateSource = defineCommand({
  name: 'update_source',
  arguments: z.strictObject({
    name: SourceName,
    configuration: SourceConfiguration.optional(),
    /** Null removes the customization. */
    customization: SourceCustomization.nullish(),
    health_check: healthCheck,
  }),
  apply: ({ name, configuration, customization, health_check }, metadata) =>
    changeNamed(metadata, name, ({ customization: before, ...source }) => {
      const next = customization === undefined ? before : customization;
      return {
        ...source,
        ...(configuration && { configuration }),
        ...(next && { customization: next }),
        ...(health_check !== undefined && { health_check }),
      };
    }),
  rereads: ({ name }) => [{ kind: 'catalog', source: name }],
});

export const setSourceCustomization = defineCommand({
  name: 'set_source_customization',
  arguments: z.strictObject({ source: SourceName, customization: SourceCustomization.nullish() }),
  apply: ({ source, customization }, metadata) =>
    changeSource(metadata, source, ({ customization: _before, ...rest }) => ({
      ...rest,
      ...(customization && { customization }),
    })),
});

export const setQueryTags = defineCommand({
  name: 'set_query_tags',
  arguments: z.strictObject({ source_name: SourceName, ...QueryTags.shape }),
  apply: ({ source_name, disabled, format, omit_request_id }, metadata) =>
    changeNamed(
      metadata,
      source_name,
      (source) => ({
        ...source,
        query_tags: {
          disabled: disabled ?? false,
          format: format ?? 'standard',
          omit_request_id: omit_request_id ?? true,
        },
      }),
      '$.source_name',
    ),
});

export const dropSource = defineCommand({
  name: 'drop_source',
  arguments: z.strictObject({ name: SourceName, cascade: z.boolean().default(false) }),
  apply: ({ name }, metadata) => {
    const sources = metadata.sources.filter((source) => source.name !== name);
    if (sources.length === metadata.sources.length) throw unknown(name);
    return { ...metadata, sources };
  },
  dependents: ({ cascade }) => (cascade ? 'drop' : 'reject'),
});

export const renameSource = defineCommand({
  name: 'rename_source',
  arguments: z.strictObject({ name: SourceName, new_name: SourceName }),
  apply: ({ name, new_name: newName }, metadata) => {
    if (newName !== name && metadata.sources.some((source) => source.name === newName)) {
      throw new EditError('already-exists', `source with name "${newName}" already exists`, '$.new_name');
    }
    const renamed = changeNamed(metadata, name, (source) => ({ ...source, name: newName }));
    const follow = (source: SourceName): SourceName => (source === name ? newName : source);
    const retargeted = changeEventTargets(renamed, (target) => {
      const { function: called } = target;
      if (called === undefined || (called.source ?? DEFAULT_SOURCE) !== name) return target;
      return { ...target, function: { ...called, source: newName } };
    });
    return {
      ...retargeted,
      sources: retargeted.sources.map((source) => ({
        ...source,
        tables: source.tables.map((entry) => renameInTable(entry, follow)),
      })),
      ...(renamed.remote_schemas && {
        remote_schemas: renamed.remote_schemas.map((one) =>
          changeTypeTargets(one, (target) => ({ ...target, source: follow(target.source) })),
        ),
      }),
      ...(renamed.custom_types && { custom_types: renameInTypes(renamed.custom_types, follow) }),
    };
  },
  rereads: ({ new_name }) => [{ kind: 'catalog', source: new_name }],
});

type Follow = (source: SourceName) => SourceName;

/** Renames the source in the targets of relationships. */
function renameInTable(entry: TableEntry, follow: Follow): TableEntry {
  const { object_relationships, array_relationships, remote_relationships } = entry;
  return {
    ...entry,
    ...(object_relationships && {
      object_relationships: object_relationships.map((one) => renameInUsing(one, follow)),
    }),
    ...(array_relationships && { array_relationships: array_relationships.map((one) => renameInUsing(one, follow)) }),
    ...(remote_relationships && {
      remote_relationships: remote_relationships.map((one) => renameInRemote(one, follow)),
    }),
  };
}

function renameInUsing(relationship: Relationship, follow: Follow): Relationship {
  const { using } = relationship;
  if (!('manual_configuration' in using) || using.manual_configuration.source === undefined) return relationship;
  const { source } = using.manual_configuration;
  return {
    ...relationship,
    using: { manual_configuration: { ...using.manual_configuration, source: follow(source) } },
  };
}

function renameInRemote(relationship: RemoteRelationship, follow: Follow): RemoteRelationship {
  if (!('definition' in relationship)) return relationship;
  const { definition } = relationship;
  return {
    ...relationship,
    definition: changeToSource(definition, (target) => ({ ...target, source: follow(target.source) })),
  };
}

/** Relationships of output types without a source refer to the default source. */
function renameInTypes(types: CustomTypes, follow: Follow): CustomTypes {
  const { objects } = types;
  if (objects === undefined) return types;
  return {
    ...types,
    objects: objects.map((type) => ({
      ...type,
      ...(type.relationships && {
        relationships: type.relationships.map((one): ActionRelationship => {
          if ('definition' in one) {
            const moved = changeToSource(one.definition, (target) => ({ ...target, source: follow(target.source) }));
            return { ...one, definition: moved };
          }
          const source = follow(one.source ?? DEFAULT_SOURCE);
          return source === (one.source ?? DEFAULT_SOURCE) ? one : { ...one, source };
        }),
      }),
    })),
  };
}

/** As `changeSource`, with errors at the argument `name`. */
function changeNamed(
  metadata: Metadata,
  name: SourceName,
  change: (source: Source) => Source,
  path = '$.name',
): Metadata {
  if (!metadata.sources.some((source) => source.name === name)) throw unknown(name, path);
  return changeSource(metadata, name, change);
}

function unknown(name: SourceName, path = '$.name'): EditError {
  return new EditError('not-exists', `source with name "${name}" does not exist`, path);
}
