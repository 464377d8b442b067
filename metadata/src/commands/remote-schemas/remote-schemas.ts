/** Remote schemas: add, update and remove. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { RemoteSchemaName } from '../../names.ts';
import { type RemoteSchema, RemoteSchemaDefinition } from '../../schema/remote-schemas.ts';
import { changeFirst, commentArgument, withComment, without } from '../edit/change.ts';
import { defineCommand, type Reread } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';

const RemoteSchemaArguments = z.strictObject({
  name: RemoteSchemaName,
  definition: RemoteSchemaDefinition,
  comment: commentArgument,
});

function itself({ name }: { readonly name: RemoteSchemaName }): Reread[] {
  return [{ kind: 'remote', remoteSchema: name }];
}

function unknownRemoteSchema(name: string, path = '$.name'): EditError {
  return new EditError('not-exists', `remote schema with name "${name}" does not exist`, path);
}

/** Changes one remote schema. Throws EditError `not-exists` at `path`. */
export function changeRemoteSchema(
  metadata: Metadata,
  name: RemoteSchemaName,
  path: string,
  change: (remote: RemoteSchema) => RemoteSchema,
): Metadata {
  const remote_schemas = changeFirst(metadata.remote_schemas, (one) => one.name === name, change);
  if (remote_schemas === undefined) throw unknownRemoteSchema(name, path);
  return { ...metadata, remote_schemas };
}

export const addRemoteSchema = defineCommand({
  name: 'add_remote_schema',
  arguments: RemoteSchemaArguments,
  apply: ({ name, definition, comment }, metadata): Metadata => {
    const remotes = metadata.remote_schemas ?? [];
    if (remotes.some((one) => one.name === name)) {
      throw new EditError('already-exists', `remote schema with name "${name}" already exists`, '$.name');
    }
    return { ...metadata, remote_schemas: [...remotes, { name, definition, ...withComment(comment) }] };
  },
  rereads: itself,
});

/** Replaces the definition. An absent comment stays, null removes it; unknown members stay. */
export const updateRemoteSchema = defineCommand({
  name: 'update_remote_schema',
  arguments: RemoteSchemaArguments,
  apply: ({ name, definition, comment }, metadata) => {
    const remote_schemas = changeFirst(
      metadata.remote_schemas,
      (one) => one.name === name,
      ({ comment: before, ...written }) => ({
        ...written,
        definition,
        ...withComment(comment === undefined ? before : comment || null),
      }),
    );
    if (remote_schemas === undefined) throw unknownRemoteSchema(name);
    return { ...metadata, remote_schemas };
  },
  rereads: itself,
});

export const removeRemoteSchema = defineCommand({
  name: 'remove_remote_schema',
  arguments: z.strictObject({ name: RemoteSchemaName, cascade: z.boolean().default(false) }),
  apply: ({ name }, metadata) => {
    const remote_schemas = without(metadata.remote_schemas, (one) => one.name === name);
    if (remote_schemas === undefined) throw unknownRemoteSchema(name);
    return { ...metadata, remote_schemas };
  },
  dependents: (args) => (args.cascade ? 'drop' : 'reject'),
});
