/** Assembles the GraphQL schema of one role. */
import type { RoleName } from '@joinery/metadata/names';
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLString,
  specifiedDirectives,
} from 'graphql';
import type { Model } from '../model/model.ts';
import { selectAccess } from '../model/permissions/access.ts';
import { insertAccess, updateAccess } from '../model/permissions/write-access.ts';
import { argumentScalar } from '../model/predicate/column-types.ts';
import type { ColumnType, Routine } from '../model/types/column-type.ts';
import { bound } from './binding.ts';
import { federationRoots } from './federation.ts';
import { LazySchema } from './lazy-schema.ts';
import { createRegistry } from './registry.ts';
import { relayRoots } from './relay/relay-roots.ts';
import { relayRows } from './relay/relay-types.ts';
import { createSharedTypes } from './remote/shared-types.ts';
import { eagerRoots, rootTypes } from './root-types.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/**
 * The schema that `role` sees, as a `backend` or not, at the usual endpoint or at that for Relay. graphql-js does not
 * validate it: names are checked where the model is resolved. `listed`: its types list their fields, for introspection.
 */
export function assembleSchema(
  model: Model,
  role: RoleName,
  backend: boolean,
  relay = false,
  listed = false,
): LazySchema {
  const types = new Map<string, GraphQLNamedType>();
  const registry = createRegistry({ model, role, backend, listed, rows: relay ? relayRows : undefined }, types);
  createSharedTypes(registry);
  const roots = relay
    ? eagerRoots(registry, relayRoots(registry), {}, noQueries)
    : rootTypes(registry, types, federationRoots(registry), noQueries);
  // A variable may be declared with a scalar before any field that uses it has been created.
  const scalars = new Set([...graphqlScalars, ...visibleScalars(model, role)]);
  return new LazySchema({
    query: roots.query,
    mutation: roots.mutation,
    subscription: roots.subscription,
    types: roots.types,
    directives: [...specifiedDirectives, cached],
    find: (name) => {
      if (!types.has(name) && !scalars.has(name) && !name.startsWith('__')) roots.prepare(name);
      return types.get(name) ?? (scalars.has(name) ? registry.scalar(name) : undefined);
    },
    listed: () => assembleSchema(model, role, backend, relay, true),
  });
}

const graphqlScalars = [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map(({ name }) => name);

function* visibleScalars(model: Model, role: RoleName): Iterable<string> {
  for (const { tables, functions, nativeQueries } of model.sources.values()) {
    for (const table of nativeQueries?.values() ?? []) {
      const access = selectAccess(table, role);
      if (access === undefined) continue;
      for (const { type } of [...access.columns, ...(table.native?.arguments ?? [])]) yield* scalarOf(type);
    }
    for (const { routine } of functions?.values() ?? []) {
      yield* argumentScalars(routine);
    }
    for (const table of tables.values()) {
      const accesses = [selectAccess(table, role), insertAccess(table, role), updateAccess(table, role)];
      for (const access of accesses) for (const column of access?.columns ?? []) yield* scalarOf(column.type);
      for (const { result, routine } of table.computedFields?.values() ?? []) {
        if (result.kind === 'scalar') yield* scalarOf(result.column.type);
        yield* argumentScalars(routine);
      }
    }
  }
}

function* argumentScalars({ arguments: all }: Routine): Iterable<string> {
  for (const { type } of all) yield argumentScalar(type);
}

/** Of an enum table's column none: its enum type is created with the column. */
function* scalarOf(type: ColumnType): Iterable<string> {
  if (type.enumeration === undefined) yield type.scalar;
}

const noQueriesReason =
  "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.";

/** GraphQL requires at least one field in the query root. */
const noQueries: Fields = {
  no_queries_available: {
    type: new GraphQLNonNull(GraphQLString),
    description: noQueriesReason,
    extensions: bound({ kind: 'constant', value: noQueriesReason }),
  },
};

/** Accepted without effect, so that clients which send it need no change. */
const cached = new GraphQLDirective({
  name: 'cached',
  description: 'whether this query should be cached; accepted and without effect here',
  locations: [DirectiveLocation.QUERY],
  args: {
    ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: 'measured in seconds' },
    refresh: { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: false, description: 'refresh the cache entry' },
  },
});
