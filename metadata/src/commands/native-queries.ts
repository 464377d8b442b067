/** Logical models and native queries: track, untrack, and permissions of logical models. */
import { z } from 'zod';
import type { Metadata } from '../metadata.ts';
import { ADMIN_ROLE, FieldName, RoleName, type SourceName, TypeName } from '../names.ts';
import { LogicalModel, LogicalModelPermission, NativeQuery } from '../native-queries/schema.ts';
import { changeFirst, changeSource, commentArgument, sourceArgument, withComment, without } from './edit/change.ts';
import { defineCommand } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';

/** The kind of query, which Hasura v2 accepts and does not use. */
const type = z.literal('query').nullish();

function present<T extends object>(entry: T): T {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && value !== null)) as T;
}

export const trackLogicalModel = defineCommand({
  name: 'track_logical_model',
  arguments: z.strictObject({ source: sourceArgument, ...LogicalModel.shape }),
  apply: ({ source: name, ...model }, metadata) =>
    changeSource(metadata, name, (source) => {
      const models = source.logical_models ?? [];
      if (models.some((one) => one.name === model.name)) {
        throw new EditError('already-tracked', `Logical model '${model.name}' is already tracked.`, '$.name');
      }
      return { ...source, logical_models: [...models, present(model)] };
    }),
});

export const untrackLogicalModel = defineCommand({
  name: 'untrack_logical_model',
  arguments: z.strictObject({ source: sourceArgument, name: TypeName }),
  apply: ({ source: sourceName, name }, metadata) =>
    changeSource(metadata, sourceName, (source) => {
      const rest = without(source.logical_models, (one) => one.name === name);
      if (rest === undefined) throw noModel(name, sourceName);
      return { ...source, logical_models: rest };
    }),
  dependents: () => 'reject',
});

export const trackNativeQuery = defineCommand({
  name: 'track_native_query',
  arguments: z.strictObject({ source: sourceArgument, type, ...NativeQuery.shape }),
  apply: ({ source: name, type: _unused, ...query }, metadata) =>
    changeSource(metadata, name, (source) => {
      const queries = source.native_queries ?? [];
      if (queries.some((one) => one.root_field_name === query.root_field_name)) {
        const message = `Native query '${query.root_field_name}' is already tracked.`;
        throw new EditError('already-tracked', message, '$.root_field_name');
      }
      return { ...source, native_queries: [...queries, present(query)] };
    }),
  rereads: ({ source }) => [{ kind: 'catalog', source }],
});

export const untrackNativeQuery = defineCommand({
  name: 'untrack_native_query',
  arguments: z.strictObject({ source: sourceArgument, root_field_name: FieldName }),
  apply: ({ source: sourceName, root_field_name: name }, metadata) =>
    changeSource(metadata, sourceName, (source) => {
      const rest = without(source.native_queries, (one) => one.root_field_name === name);
      if (rest === undefined) {
        const message = `Native query "${name}" not found in source "${sourceName}".`;
        throw new EditError('not-exists', message, '$.root_field_name');
      }
      return { ...source, native_queries: rest };
    }),
  dependents: () => 'reject',
});

function noModel(name: string, source: SourceName): EditError {
  return new EditError('not-exists', `Logical model "${name}" not found in source "${source}".`, '$.name');
}

function changeModel(
  metadata: Metadata,
  { source: sourceName, name }: { readonly source: SourceName; readonly name: string },
  change: (model: LogicalModel) => LogicalModel,
): Metadata {
  return changeSource(metadata, sourceName, (source) => {
    const models = changeFirst(source.logical_models, (one) => one.name === name, change);
    if (models === undefined) throw noModel(name, sourceName);
    return { ...source, logical_models: models };
  });
}

const permissionArguments = { source: sourceArgument, name: TypeName, role: RoleName };

export const createLogicalModelSelectPermission = defineCommand({
  name: 'create_logical_model_select_permission',
  arguments: z.strictObject({
    ...permissionArguments,
    permission: LogicalModelPermission,
    comment: commentArgument,
  }),
  apply: ({ role, permission, comment, ...target }, metadata) =>
    changeModel(metadata, target, (model) => {
      const permissions = model.select_permissions ?? [];
      if (role === ADMIN_ROLE || permissions.some((one) => one.role === role)) {
        const message = `select permission already defined on logical model "${target.name}" with role "${role}"`;
        throw new EditError('already-exists', message, '$.role');
      }
      return { ...model, select_permissions: [...permissions, { role, permission, ...withComment(comment) }] };
    }),
});

export const dropLogicalModelSelectPermission = defineCommand({
  name: 'drop_logical_model_select_permission',
  arguments: z.strictObject(permissionArguments),
  apply: ({ role, ...target }, metadata) =>
    changeModel(metadata, target, (model) => {
      const rest = without(model.select_permissions, (one) => one.role === role);
      if (rest !== undefined) return { ...model, select_permissions: rest };
      const message = `select permission on logical model "${target.name}" for role "${role}" does not exist`;
      throw new EditError('not-exists', message, '$.role');
    }),
});
