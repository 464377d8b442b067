/** The types of the Relay schema: rows with global ids, and connections, which are rows in pages with cursors. */
import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import type { SelectAccess, Table } from '../../model/types/table.ts';
import { bindingOf, bound, type ConnectionMember, type FieldBinding } from '../binding.ts';
import { rowType } from '../output-types.ts';
import type { RowExtension, TypeRegistry } from '../registry.ts';
import { tableTitle } from '../tables/columns.ts';
import { listArguments } from '../tables/list-arguments.ts';
import { visibleRelationships } from '../tables/visible.ts';
import { connectionNames } from './relay-names.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** What the Relay schema changes in the row types of tables. */
export const relayRows: RowExtension = {
  interfaces: (registry, table) => (table.primaryKey === undefined ? [] : [nodeInterface(registry)]),
  fields: (registry, table, fields) => ({
    ...withoutRemote(fields),
    ...nodeId(table),
    ...relationshipConnections(registry, table),
  }),
};

/** As in Hasura v2, there is neither a column `id` nor a relationship to a remote schema. */
function withoutRemote(fields: Fields): Fields {
  const kept = Object.entries(fields).filter(([name, field]) => {
    const binding = bindingOf({ extensions: field.extensions ?? {} });
    if (name === 'id' && binding?.kind === 'column') return false;
    return binding?.kind !== 'join' || binding.join.target.kind !== 'remote';
  });
  return Object.fromEntries(kept);
}

function nodeId(table: Table): Fields {
  const { primaryKey: key } = table;
  if (key === undefined) return {};
  return { id: { type: new GraphQLNonNull(GraphQLID), extensions: bound({ kind: 'nodeId', table, key }) } };
}

/** `<relationship>_connection` for each array relationship to a table with a primary key. */
function relationshipConnections(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const { relationship, access } of visibleRelationships(registry, table)) {
    const { name, target, kind } = relationship;
    if (kind !== 'array') continue;
    const description = 'An array relationship connection';
    const field = connection(registry, target, description, {
      kind: 'connection',
      table: target,
      access,
      relationship,
    });
    if (field !== undefined) fields[`${name}_connection`] = field;
  }
  return fields;
}

/** The interface of all rows with a global id. */
export function nodeInterface({ plain }: TypeRegistry): GraphQLInterfaceType {
  const id = { type: new GraphQLNonNull(GraphQLID), description: 'A globally unique identifier' };
  const description = 'An object with globally unique ID';
  return plain.named('Node', () => new GraphQLInterfaceType({ name: 'Node', description, fields: { id } }));
}

/** The connection of a table's rows, as a root field. */
export function tableConnection(
  registry: TypeRegistry,
  table: Table,
  access: SelectAccess,
): GraphQLFieldConfig<unknown, unknown> | undefined {
  const description = `fetch data from the table: "${tableTitle(table)}"`;
  return connection(registry, table, description, { kind: 'connection', table, access });
}

/** A field with the rows of `table` in pages; undefined without a primary key or a visible field. */
export function connection(
  registry: TypeRegistry,
  table: Table,
  description: string,
  binding: FieldBinding,
  more: GraphQLFieldConfigArgumentMap = {},
): GraphQLFieldConfig<unknown, unknown> | undefined {
  const own = registry.plain.of(table);
  if (table.primaryKey === undefined || rowType(own, table) === undefined) return undefined;
  const args = { ...more, ...connectionArguments(own, table) };
  return { type: new GraphQLNonNull(connectionType(own, table)), description, args, extensions: bound(binding) };
}

function connectionArguments(registry: TypeRegistry, table: Table): GraphQLFieldConfigArgumentMap {
  const { limit: _, offset: __, ...shared } = listArguments(registry, table);
  const [count, text] = [registry.scalar('Int'), registry.scalar('String')];
  return { ...shared, first: { type: count }, last: { type: count }, after: { type: text }, before: { type: text } };
}

function connectionType(registry: TypeRegistry, table: Table): GraphQLObjectType {
  return registry.plain.object(connectionNames(registry, table).connection, () => ({
    description: `A Relay connection object on "${tableTitle(table)}"`,
    fields: () => ({
      pageInfo: { type: new GraphQLNonNull(pageInfo(registry)), extensions: member('pageInfo') },
      edges: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edgeType(registry, table)))),
        extensions: member('edges'),
      },
    }),
  }));
}

function edgeType(registry: TypeRegistry, table: Table): GraphQLObjectType {
  return registry.plain.object(connectionNames(registry, table).edge, () => ({
    fields: () => {
      const row = rowType(registry, table);
      return {
        cursor: { type: new GraphQLNonNull(GraphQLString), extensions: member('cursor') },
        ...(row !== undefined && { node: { type: new GraphQLNonNull(row), extensions: member('node') } }),
      };
    },
  }));
}

function pageInfo({ plain }: TypeRegistry): GraphQLObjectType {
  const field = (type: GraphQLScalarType, name: ConnectionMember) => ({
    [name]: { type: new GraphQLNonNull(type), extensions: member(name) },
  });
  const fields: Fields = {
    ...field(GraphQLString, 'startCursor'),
    ...field(GraphQLString, 'endCursor'),
    ...field(GraphQLBoolean, 'hasNextPage'),
    ...field(GraphQLBoolean, 'hasPreviousPage'),
  };
  return plain.named('PageInfo', () => new GraphQLObjectType({ name: 'PageInfo', fields }));
}

function member(name: ConnectionMember) {
  return bound({ kind: 'connectionMember', member: name });
}
