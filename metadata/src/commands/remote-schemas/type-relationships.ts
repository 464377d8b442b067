/** Relationships of the types of a remote schema. */
import { z } from 'zod';
import type { Metadata } from '../../metadata.ts';
import { FieldName, RemoteSchemaName, TypeName } from '../../names.ts';
import { changeToSource, JoinDefinition } from '../../schema/relationships.ts';
import type { RemoteSchema, TypeRelationships } from '../../schema/remote-schemas.ts';
import { changeFirst, without } from '../edit/change.ts';
import { defineCommand } from '../edit/command.ts';
import { EditError } from '../edit/edit-error.ts';
import { changeRemoteSchema } from './remote-schemas.ts';

const target = { remote_schema: RemoteSchemaName, type_name: TypeName, name: FieldName };
const Written = z.strictObject({ ...target, definition: JoinDefinition });

type Relationships = TypeRelationships['relationships'];

/** `change` returns undefined for an unknown relationship. */
function changeType(
  metadata: Metadata,
  { remote_schema, type_name, name }: Pick<z.infer<typeof Written>, keyof typeof target>,
  change: (relationships: Relationships) => Relationships | undefined,
): Metadata {
  return changeRemoteSchema(metadata, remote_schema, '$.remote_schema', (remote) => {
    const types = remote.remote_relationships ?? [];
    const known = types.find((one) => one.type_name === type_name);
    const relationships = change(known?.relationships ?? []);
    if (relationships === undefined) {
      const message = `relationship "${name}" of type "${type_name}" in remote schema "${remote_schema}" does not exist`;
      throw new EditError('not-exists', message, '$.name');
    }
    const others = types.filter((one) => one.type_name !== type_name);
    const changed = relationships.length === 0 ? others : place(types, { type_name, relationships });
    const { remote_relationships: _, ...rest } = remote;
    return changed.length === 0 ? rest : { ...rest, remote_relationships: changed };
  });
}

function place(types: readonly TypeRelationships[], type: TypeRelationships): TypeRelationships[] {
  return (
    changeFirst(
      types,
      (one) => one.type_name === type.type_name,
      () => type,
    ) ?? [...types, type]
  );
}

export const createRemoteSchemaRelationship = defineCommand({
  name: 'create_remote_schema_remote_relationship',
  arguments: Written,
  apply: ({ definition, ...at }, metadata) =>
    changeType(metadata, at, (relationships) => {
      if (relationships.some(({ name }) => name === at.name)) {
        const message = `relationship "${at.name}" of type "${at.type_name}" in remote schema "${at.remote_schema}" already exists`;
        throw new EditError('already-exists', message, '$.name');
      }
      return [...relationships, { name: at.name, definition }];
    }),
});

export const updateRemoteSchemaRelationship = defineCommand({
  name: 'update_remote_schema_remote_relationship',
  arguments: Written,
  apply: ({ definition, ...at }, metadata) =>
    changeType(metadata, at, (relationships) =>
      changeFirst(
        relationships,
        ({ name }) => name === at.name,
        (one) => ({ ...one, definition }),
      ),
    ),
});

export const deleteRemoteSchemaRelationship = defineCommand({
  name: 'delete_remote_schema_remote_relationship',
  arguments: z.strictObject(target),
  apply: (at, metadata) =>
    changeType(metadata, at, (relationships) => without(relationships, ({ name }) => name === at.name)),
});

/** Applies `change` to the relationships of the remote schema's types that have a source as target. */
export function changeTypeTargets(remote: RemoteSchema, change: Parameters<typeof changeToSource>[1]): RemoteSchema {
  if (remote.remote_relationships === undefined) return remote;
  const remote_relationships = remote.remote_relationships.map((type) => ({
    ...type,
    relationships: type.relationships.map((one) => ({ ...one, definition: changeToSource(one.definition, change) })),
  }));
  return { ...remote, remote_relationships };
}
