/** The schema of one role from its parts: tables, actions, remote schemas and what joins them. */
import type { RoleName } from '@joinery/metadata/names';
import {
  DirectiveLocation,
  GraphQLBoolean,
  GraphQLDirective,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  specifiedDirectives,
} from 'graphql';
import type { Model } from '../model/model.ts';
import { selectAccess } from '../model/permissions/access.ts';
import { insertAccess, updateAccess } from '../model/permissions/write-access.ts';
import type { OutputObject } from '../model/types/action.ts';
import type { ColumnType, Table } from '../model/types/table.ts';
import { bound } from './binding.ts';
import { asClientsKnow, clientArguments, clientTypeName } from './convention.ts';
import { LazySchema } from './lazy-schema.ts';
import { rootsOfSources } from './namespaces.ts';
import type { RootFields, TypeRegistry } from './registry.ts';
import { makeScalar } from './scalars.ts';
import { aggregateType } from './tables/aggregate-output.ts';
import { listArguments, rowType } from './tables/row-output.ts';
import { hasRows } from './tables/visible.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** What the parts of the model bring. */
export interface SchemaParts {
  readonly roots: readonly ((registry: TypeRegistry) => RootFields)[];
  readonly subscription: (registry: TypeRegistry) => Fields;
  /** The fields of a table's rows that lead out of its source. */
  readonly joins: (registry: TypeRegistry, table: Table) => Fields;
  /** The same of an output object. */
  readonly outputJoins: (registry: TypeRegistry, object: OutputObject) => Fields;
  readonly remoteJoins: (registry: TypeRegistry, type: GraphQLObjectType) => Fields;
}

/** The schema that `role` sees, as a `backend` or not. graphql-js does not validate it: names are checked where the model is resolved. */
export function assembleSchema(model: Model, role: RoleName, parts: SchemaParts, backend = false): GraphQLSchema {
  const types = new Map<string, GraphQLNamedType>();
  const registry = createRegistry({ model, role, backend }, types, parts);
  const {
    query,
    mutation,
    subscription,
    types: unreached = [],
  } = rootsOfSources(registry, (one) => {
    const brought = parts.roots.map((part) => part(one));
    return {
      query: Object.assign({}, ...brought.map((roots) => roots.query)),
      mutation: Object.assign({}, ...brought.map((roots) => roots.mutation)),
      subscription: parts.subscription(one),
      types: brought.flatMap((roots) => roots.types ?? []),
    };
  });
  const hasQueries = Object.keys(query).length > 0;
  const hasMutations = Object.keys(mutation).length > 0;
  // Variables are declared with scalars before any field that has them is met.
  const scalars = new Set([...graphqlScalars, ...visibleScalars(model, role)]);
  return new LazySchema({
    query: new GraphQLObjectType({ name: 'query_root', fields: hasQueries ? query : noQueries }),
    mutation: hasMutations
      ? new GraphQLObjectType({ name: 'mutation_root', description: 'mutation root', fields: mutation })
      : undefined,
    subscription:
      Object.keys(subscription).length > 0
        ? new GraphQLObjectType({ name: 'subscription_root', fields: subscription })
        : undefined,
    types: unreached,
    directives: [...specifiedDirectives, cached],
    find: (name) => types.get(name) ?? (scalars.has(name) ? registry.scalar(name) : undefined),
  });
}

const graphqlScalars = [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map(({ name }) => name);

function* visibleScalars(model: Model, role: RoleName): Iterable<string> {
  for (const { tables, functions } of model.sources.values()) {
    for (const { routine } of functions?.values() ?? []) {
      for (const { type } of routine.arguments) yield* scalarOf(type);
    }
    for (const table of tables.values()) {
      const accesses = [selectAccess(table, role), insertAccess(table, role), updateAccess(table, role)];
      for (const access of accesses) for (const column of access?.columns ?? []) yield* scalarOf(column.type);
      for (const { result, routine } of table.computedFields?.values() ?? []) {
        if (result.kind === 'scalar') yield* scalarOf(result.column.type);
        for (const { type } of routine.arguments) yield* scalarOf(type);
      }
    }
  }
}

/** Enums are made where a column has them. */
function* scalarOf(type: ColumnType): Iterable<string> {
  if (type.enumeration === undefined) yield type.scalar;
}

const noQueriesReason =
  "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.";

/** GraphQL wants at least one field in the query root. */
const noQueries: Fields = {
  no_queries_available: {
    type: new GraphQLNonNull(GraphQLString),
    description: noQueriesReason,
    extensions: bound({ kind: 'constant', value: noQueriesReason }),
  },
};

/** Accepted, so that clients which send it need no change; answers are never cached. */
const cached = new GraphQLDirective({
  name: 'cached',
  description: 'whether this query should be cached; accepted and without effect here',
  locations: [DirectiveLocation.QUERY],
  args: {
    ttl: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 60, description: 'measured in seconds' },
    refresh: { type: new GraphQLNonNull(GraphQLBoolean), defaultValue: false, description: 'refresh the cache entry' },
  },
});

/** `types` is filled with each type that is made. */
function createRegistry(
  { model, role, backend }: Pick<TypeRegistry, 'model' | 'role' | 'backend'>,
  types: Map<string, GraphQLNamedType>,
  { joins, outputJoins, remoteJoins }: SchemaParts,
): TypeRegistry {
  const lists = new Map<Table, GraphQLFieldConfigArgumentMap>();
  const named = <T extends GraphQLNamedType>(name: string, make: () => T): T => {
    const known = types.get(name);
    // The caller that asks for a name is always the same part, so the kind of type is, too.
    if (known !== undefined) return known as T;
    const made = make();
    types.set(name, made);
    return made;
  };
  const registry: TypeRegistry = {
    model,
    role,
    backend,
    outputJoins: (object) => outputJoins(registry, object),
    remoteJoins: (type) => remoteJoins(registry, type),
    named,
    of: (table) => (model.sources.get(table.source)?.convention === undefined ? registry : conventional),
    scalar: (name) => named(name, () => makeScalar(name)),
    row: (table) =>
      selectAccess(table, role) !== undefined && hasRows(registry, table)
        ? rowType(registry.of(table), table, (one) => joins(registry, one))
        : undefined,
    aggregate: (table) =>
      selectAccess(table, role)?.aggregations === true ? aggregateType(registry.of(table), table) : undefined,
    listArguments: (table) => {
      const own = registry.of(table);
      const known = lists.get(table) ?? listArguments(own, table);
      lists.set(table, known);
      return own === registry ? known : clientArguments(known);
    },
  };
  const conventional: TypeRegistry = {
    ...registry,
    named: <T extends GraphQLNamedType>(name: string, make: () => T) => {
      const shown = clientTypeName(name);
      return named(shown, () => asClientsKnow(make(), shown) as T);
    },
  };
  return registry;
}
