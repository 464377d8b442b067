/** The root fields of remote schemas. */
import {
  type GraphQLFieldConfigMap,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { offeredTypes } from '../../model/remote/remote-schemas.ts';
import { remoteView, upstreamName } from '../../model/remote/schema-view.ts';
import type { RemoteSchema } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { remoteField, remoteType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

export interface RemoteRoots {
  readonly query: Fields;
  readonly mutation: Fields;
  /** All object types of the remote schemas, because some are reached through an interface only. */
  readonly types: readonly GraphQLNamedType[];
}

/** The root fields of every remote schema that the role sees. */
export function remoteRoots(registry: TypeRegistry): RemoteRoots {
  const query: Fields = {};
  const mutation: Fields = {};
  const types = new Set<GraphQLNamedType>();
  for (const remote of registry.model.remoteSchemas.values()) {
    const view = remoteView(remote, registry.role);
    if (view === undefined) continue;
    Object.assign(query, rootFields(registry, remote, view, 'query'));
    Object.assign(mutation, rootFields(registry, remote, view, 'mutation'));
    for (const type of offeredTypes(view).values()) if (isObjectType(type)) types.add(remoteType(registry, type));
  }
  return { query, mutation, types: [...types] };
}

function rootFields(
  registry: TypeRegistry,
  remote: RemoteSchema,
  view: GraphQLSchema,
  operation: 'query' | 'mutation',
): Fields {
  const root = operation === 'query' ? view.getQueryType() : view.getMutationType();
  const fields: Fields = Object.fromEntries(
    Object.values(root?.getFields() ?? {}).map((field) => [
      field.name,
      {
        ...remoteField(registry, field),
        extensions: bound({ kind: 'remote', remote, operation, field: upstreamName(field) }),
      },
    ]),
  );
  const { namespace } = remote;
  if (namespace === undefined || Object.keys(fields).length === 0) return fields;
  const name = namespace.types[operation];
  return {
    [namespace.name]: {
      type: new GraphQLNonNull(registry.object(name, () => ({ fields }))),
      extensions: bound({ kind: 'namespace' }),
    },
  };
}
