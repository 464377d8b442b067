/** The subscription root fields of tables: live queries, and streams of rows that follow a cursor. */
import {
  type GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
} from 'graphql';
import { cursorOrderingName, typeName } from '../../model/names/source-names.ts';
import { selectAccess, streamColumns } from '../../model/permissions/access.ts';
import type { SelectAccess, Table } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { clientRoots } from '../convention.ts';
import { columnInput } from '../inputs/comparison.ts';
import { boolExp } from '../inputs/where.ts';
import { rowType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { listOfRows, rootDescription, tableTitle } from './columns.ts';
import { selectRoots } from './query-roots.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The subscription root fields of the tables of every source, as far as the role may use them. */
export function subscriptionRoots(registry: TypeRegistry): Fields {
  const live: Fields = {};
  const streams: Fields = {};
  for (const source of registry.model.sources.values()) {
    for (const table of source.tables.values()) {
      Object.assign(live, tableSubscriptions(registry, table));
      Object.assign(streams, tableStreams(registry, table));
    }
  }
  // A live query replaces the stream of another table that has the same name.
  return { ...streams, ...live };
}

/** The live queries of one table. */
export function tableSubscriptions(registry: TypeRegistry, table: Table): Fields {
  const access = selectAccess(table, registry.role);
  return access === undefined ? {} : selectRoots(registry.of(table), table, access, access.subscriptionRoots);
}

/** The stream of one table, if the role has a column that can be its cursor. */
export function tableStreams(registry: TypeRegistry, table: Table): Fields {
  const access = selectAccess(table, registry.role);
  const own = registry.of(table);
  const row = access && rowType(own, table);
  if (access === undefined || row === undefined || !access.subscriptionRoots.has('select_stream')) return {};
  const stream = { [table.streamRoot]: streamRoot(own, table, access, row) };
  return own === registry.plain ? stream : clientRoots(stream);
}

function streamRoot(
  registry: TypeRegistry,
  table: Table,
  access: SelectAccess,
  row: GraphQLObjectType,
): GraphQLFieldConfig<unknown, unknown> {
  return {
    type: listOfRows(row),
    ...rootDescription(
      table,
      'select_stream',
      `fetch data from the table in a streaming manner: "${tableTitle(table)}"`,
    ),
    args: {
      batch_size: {
        type: new GraphQLNonNull(registry.scalar('Int')),
        description: 'maximum number of rows returned in a single batch',
      },
      cursor: {
        type: new GraphQLNonNull(new GraphQLList(cursorInput(registry, table, access))),
        description: 'cursor to stream the results returned by the query',
      },
      where: { type: boolExp(registry, table), description: 'filter the rows returned' },
    },
    extensions: bound({ kind: 'stream', table, access }),
  };
}

function cursorInput(registry: TypeRegistry, table: Table, access: SelectAccess): GraphQLInputObjectType {
  const name = typeName(table, '_stream_cursor_input');
  return registry.input(name, () => ({
    description: `Streaming cursor of the table "${table.graphqlName}"`,
    fields: () => ({
      initial_value: {
        type: new GraphQLNonNull(cursorValues(registry, table, access)),
        description: 'Stream column input with initial value',
      },
      ordering: { type: tableOrdering(registry, table), description: 'cursor ordering' },
    }),
  }));
}

function cursorValues(registry: TypeRegistry, table: Table, access: SelectAccess): GraphQLInputObjectType {
  const name = typeName(table, '_stream_cursor_value_input');
  return registry.input(name, () => ({
    description: 'Initial value of the column from where the streaming should start',
    fields: () =>
      Object.fromEntries(
        streamColumns(access.columns, access.cells).map((column) => [
          column.field,
          {
            ...columnInput(registry, column.type),
            ...(column.comment !== undefined && { description: column.comment }),
          },
        ]),
      ),
  }));
}

function tableOrdering({ plain, model }: TypeRegistry, table: Table): GraphQLEnumType {
  return cursorOrdering(plain, cursorOrderingName(model.sources.get(table.source)?.names));
}

/** The enum `cursor_ordering`, under the name of a source. */
export function cursorOrdering(registry: TypeRegistry, name = 'cursor_ordering'): GraphQLEnumType {
  return registry.enumeration(name, () => ({
    description: 'ordering argument of a cursor',
    values: {
      ASC: { description: 'ascending ordering of the cursor' },
      DESC: { description: 'descending ordering of the cursor' },
    },
  }));
}
