/** The root fields of the Relay schema: `node`, and a connection for each table and function whose rows have a key. */

import { ADMIN_ROLE } from '@joinery/metadata/names';
import { type GraphQLFieldConfig, type GraphQLFieldConfigMap, GraphQLID, GraphQLNonNull } from 'graphql';
import { ServiceError } from '../../base/errors.ts';
import { typeName } from '../../model/names/source-names.ts';
import { functionAccess, selectAccess } from '../../model/permissions/access.ts';
import type { Table } from '../../model/types/table.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import { actionRoots } from '../actions/action-roots.ts';
import { bound, type NodeTarget } from '../binding.ts';
import { rowType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { type AllRoots, rootsBySource } from '../roots.ts';
import { functionArguments } from '../tables/function-arguments.ts';
import { functionRoots } from '../tables/function-roots.ts';
import { mutationRoots } from '../tables/mutation-roots.ts';
import { typeNamesOf } from './relay-names.ts';
import { connection, nodeInterface, tableConnection } from './relay-types.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The root fields of all sources, and the mutations of actions. Throws a ServiceError if a table has the name of a type. */
export function relayRoots(registry: TypeRegistry): AllRoots {
  rejectTakenNames(registry);
  const roots = rootsBySource(registry, sourceRoots);
  const targets = nodeTargets(registry);
  const node = nodeField(registry, targets);
  return {
    ...roots,
    query: { node, ...roots.query },
    subscription: { node, ...roots.subscription },
    types: [...roots.types, ...[...targets.values()].flat().map(({ type }) => type)],
  };
}

function sourceRoots(registry: TypeRegistry): AllRoots {
  const functions = functionConnections(registry);
  const actions = actionRoots(registry);
  return {
    query: { ...tableConnections(registry, 'query'), ...functions },
    mutation: { ...functionRoots(registry).mutation, ...mutationRoots(registry), ...actions.mutation },
    subscription: { ...tableConnections(registry, 'subscription'), ...functions },
    types: actions.types,
  };
}

/** The tables whose lists the role may select in operations of the kind. */
function tableConnections(registry: TypeRegistry, operation: 'query' | 'subscription'): Fields {
  const fields: Fields = {};
  for (const { table, access } of keyedTables(registry)) {
    const shown: ReadonlySet<string> = operation === 'query' ? access.queryRoots : access.subscriptionRoots;
    const field = shown.has('select') ? tableConnection(registry, table, access) : undefined;
    if (field !== undefined) fields[table.connectionRoot] = field;
  }
  return fields;
}

function functionConnections(registry: TypeRegistry): Fields {
  const fields: Fields = {};
  for (const { functions } of registry.model.sources.values()) {
    for (const one of functions?.values() ?? []) {
      const access = one.exposedAs === 'query' ? functionAccess(one, registry.role) : undefined;
      if (access === undefined) continue;
      const { routine, table, roots, comment } = one;
      const description = comment ?? `execute function "${routine.name}" which returns "${table.name}"`;
      const args = functionArguments(registry, routine, `input parameters for function "${roots.function}"`);
      const binding = { kind: 'connection', table, access, function: one } as const;
      const field = connection(registry, table, description, binding, args);
      if (field !== undefined) fields[one.connectionRoot] = field;
    }
  }
  return fields;
}

function nodeField(
  registry: TypeRegistry,
  targets: ReadonlyMap<string, readonly NodeTarget[]>,
): GraphQLFieldConfig<unknown, unknown> {
  return {
    type: nodeInterface(registry),
    args: { id: { type: new GraphQLNonNull(GraphQLID), description: 'A globally unique id' } },
    extensions: bound({ kind: 'node', targets }),
  };
}

function nodeTargets(registry: TypeRegistry): ReadonlyMap<string, readonly NodeTarget[]> {
  const targets = new Map<string, readonly NodeTarget[]>();
  for (const { table, key, access } of keyedTables(registry)) {
    const type = rowType(registry, table);
    const name = relationKey(table.schema, table.name);
    if (type !== undefined) targets.set(name, [...(targets.get(name) ?? []), { table, key, access, type }]);
  }
  return targets;
}

/** The tables with a primary key that the role may select from. */
function* keyedTables({ model, role }: TypeRegistry): Iterable<Omit<NodeTarget, 'type'>> {
  for (const { tables } of model.sources.values()) {
    for (const table of tables.values()) {
      const access = selectAccess(table, role);
      if (access !== undefined && table.primaryKey !== undefined) yield { table, key: table.primaryKey, access };
    }
  }
}

const ownTypes: ReadonlySet<string> = new Set(['Node', 'PageInfo']);

function rejectTakenNames({ model, role }: TypeRegistry): void {
  const actions = [...model.actions.values()].filter(({ type, roles }) => {
    return type === 'mutation' && (role === ADMIN_ROLE || roles.has(role));
  });
  const taken = [...typeNamesOf(actions)].find((name) => ownTypes.has(name));
  if (taken !== undefined) {
    const message = `a type of an action has the name of the type "${taken}" of the Relay schema; rename it`;
    throw new ServiceError('not-supported', message);
  }
  const tables = [...model.sources.values()].flatMap((source): Table[] => [...source.tables.values()]);
  const taker = tables.find((table) => ownTypes.has(typeName(table)) && selectAccess(table, role) !== undefined);
  if (taker === undefined) return;
  const name = typeName(taker);
  throw new ServiceError(
    'not-supported',
    `table "${taker.schema}.${taker.name}" has the name of the type "${name}" of the Relay schema; set a custom_name`,
  );
}
