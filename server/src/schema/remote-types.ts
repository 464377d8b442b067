/** Remote schemas in a role's schema: their root fields. */
import { type GraphQLFieldConfigMap, type GraphQLNamedType, type GraphQLObjectType, isObjectType } from 'graphql';
import { offeredTypes } from '../model/remotes.ts';
import type { RemoteSchema } from '../model/table-model.ts';
import { bound } from './binding.ts';
import type { RootFields, TypeRegistry } from './registry.ts';
import { remoteField, remoteType } from './remote-conversion.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The root fields of every remote schema. `types` are those that only an interface leads to. */
export function remoteFields(registry: TypeRegistry): Required<RootFields> {
  const query: Fields = {};
  const mutation: Fields = {};
  const types = new Set<GraphQLNamedType>();
  for (const remote of registry.model.remoteSchemas.values()) {
    Object.assign(query, rootFields(registry, remote, remote.upstream.getQueryType()));
    Object.assign(mutation, rootFields(registry, remote, remote.upstream.getMutationType()));
    for (const type of offeredTypes(remote.upstream).values())
      if (isObjectType(type)) types.add(remoteType(registry, type));
  }
  return { query, mutation, types: [...types] };
}

function rootFields(registry: TypeRegistry, remote: RemoteSchema, root: GraphQLObjectType | null | undefined): Fields {
  return Object.fromEntries(
    Object.values(root?.getFields() ?? {}).map((field) => [
      field.name,
      { ...remoteField(registry, field), extensions: bound({ kind: 'remote', remote, field: field.name }) },
    ]),
  );
}
