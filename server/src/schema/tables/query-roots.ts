/** The query root fields of tables: lists of rows, one row by its primary key, and aggregates. */
import { type GraphQLFieldConfigMap, GraphQLNonNull } from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import type { RootKind, SelectAccess, Table } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { columnInput } from '../inputs/comparison.ts';
import { aggregateType, rowType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { listOfRows, rootDescription, tableTitle } from './columns.ts';
import { listArguments } from './list-arguments.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The query root fields of the tables of every source, as far as the role may use them. */
export function queryRoots(registry: TypeRegistry): Fields {
  const query: Fields = {};
  for (const source of registry.model.sources.values()) {
    for (const table of source.tables.values()) Object.assign(query, tableQueries(registry, table));
  }
  return query;
}

/** Those of one table. */
export function tableQueries(registry: TypeRegistry, table: Table): Fields {
  const access = selectAccess(table, registry.role);
  return access === undefined ? {} : selectRoots(registry.of(table), table, access, access.queryRoots);
}

/** The root fields of the table that are among `shown` and that the role has columns for. */
export function selectRoots(
  registry: TypeRegistry,
  table: Table,
  access: SelectAccess,
  shown: ReadonlySet<RootKind | 'select_stream'>,
): Fields {
  const { roots, primaryKey } = table;
  const title = tableTitle(table);
  const row = rowType(registry, table);
  const aggregate = aggregateType(registry, table);
  const fields: Fields = {};
  // Data commands need no root fields: `query_root_fields` and `allow_aggregations` do not restrict them.
  const { forDataCommands = false } = registry.model;
  if (row !== undefined && (forDataCommands || shown.has('select'))) {
    fields[roots.select] = {
      type: listOfRows(row),
      ...rootDescription(table, 'select', `fetch data from the table: "${title}"`),
      args: listArguments(registry, table),
      extensions: bound({ kind: 'root', root: 'select', table, access }),
    };
  }
  if (row !== undefined && primaryKey !== undefined && shown.has('select_by_pk')) {
    fields[roots.select_by_pk] = {
      type: row,
      ...rootDescription(table, 'select_by_pk', `fetch data from the table: "${title}" using primary key columns`),
      args: Object.fromEntries(
        primaryKey.map((column) => [
          column.field,
          {
            ...columnInput(registry, column.type, 'required'),
            ...(column.comment !== undefined && { description: column.comment }),
          },
        ]),
      ),
      extensions: bound({ kind: 'root', root: 'select_by_pk', table, access }),
    };
  }
  if (aggregate !== undefined && (forDataCommands || shown.has('select_aggregate'))) {
    fields[roots.select_aggregate] = {
      type: new GraphQLNonNull(aggregate),
      ...rootDescription(table, 'select_aggregate', `fetch aggregated fields from the table: "${title}"`),
      args: listArguments(registry, table),
      extensions: bound({ kind: 'root', root: 'select_aggregate', table, access }),
    };
  }
  return fields;
}
