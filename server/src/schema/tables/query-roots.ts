/** The root fields of tables: lists of rows, one row by its key, and aggregates. */
import { type GraphQLFieldConfigMap, GraphQLNonNull } from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import type { RootKind, SelectAccess, Table } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { columnInput } from '../inputs/comparison.ts';
import type { RootFields, TypeRegistry } from '../registry.ts';
import { listOfRows, tableTitle } from './row-output.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** Those that the role may use, of every source. */
export function tableFields(registry: TypeRegistry): RootFields {
  const query: Fields = {};
  for (const source of registry.model.sources.values()) {
    for (const table of source.tables.values()) {
      const access = selectAccess(table, registry.role);
      if (access !== undefined) Object.assign(query, selectRoots(registry.of(table), table, access, access.queryRoots));
    }
  }
  return { query, mutation: {} };
}

/** Those of `shown` that the table has for the role. */
export function selectRoots(
  registry: TypeRegistry,
  table: Table,
  access: SelectAccess,
  shown: ReadonlySet<RootKind | 'select_stream'>,
): Fields {
  const { roots, primaryKey } = table;
  const title = tableTitle(table);
  const row = registry.row(table);
  const aggregate = registry.aggregate(table);
  const fields: Fields = {};
  if (row !== undefined && shown.has('select')) {
    fields[roots.select] = {
      type: listOfRows(row),
      description: `fetch data from the table: "${title}"`,
      args: registry.listArguments(table),
      extensions: bound({ kind: 'root', root: 'select', table, access }),
    };
  }
  if (row !== undefined && primaryKey !== undefined && shown.has('select_by_pk')) {
    fields[roots.select_by_pk] = {
      type: row,
      description: `fetch data from the table: "${title}" using primary key columns`,
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
  if (aggregate !== undefined && shown.has('select_aggregate')) {
    fields[roots.select_aggregate] = {
      type: new GraphQLNonNull(aggregate),
      description: `fetch aggregated fields from the table: "${title}"`,
      args: registry.listArguments(table),
      extensions: bound({ kind: 'root', root: 'select_aggregate', table, access }),
    };
  }
  return fields;
}
