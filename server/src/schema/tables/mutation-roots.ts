/** The mutation root fields of tables. */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { typeName } from '../../model/names/source-names.ts';
import type { MutationKind, Table } from '../../model/types/table.ts';
import { bound, readWhenRun } from '../binding.ts';
import { clientRoots } from '../convention.ts';
import { columnInput } from '../inputs/comparison.ts';
import { insertInput, onConflict } from '../inputs/inserts.ts';
import { mayDelete, mayInsert, mayUpdate, visibleKey } from '../inputs/mutation-access.ts';
import { changeArguments, keyInput, updatesInput } from '../inputs/updates.ts';
import { boolExp } from '../inputs/where.ts';
import { rowType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { listOfRows, rootDescription, tableTitle } from './columns.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The mutation root fields of the tables of every source, as far as the role may use them. */
export function mutationRoots(registry: TypeRegistry): Fields {
  const mutation: Fields = {};
  for (const source of registry.model.sources.values()) {
    for (const table of source.tables.values()) Object.assign(mutation, tableMutations(registry, table));
  }
  return mutation;
}

/** Those of one table. */
export function tableMutations(registry: TypeRegistry, table: Table): Fields {
  const own = registry.of(table);
  const roots = { ...insertRoots(own, table), ...updateRoots(own, table), ...deleteRoots(own, table) };
  return own === registry.plain ? roots : clientRoots(roots);
}

function insertRoots(registry: TypeRegistry, table: Table): Fields {
  if (mayInsert(registry, table) === undefined) return {};
  const title = tableTitle(table);
  const row = rowType(registry, table);
  const input = new GraphQLNonNull(insertInput(registry, table));
  const conflict = onConflict(registry, table);
  const upsert: GraphQLFieldConfigArgumentMap =
    conflict === undefined ? {} : { on_conflict: { type: conflict, description: 'upsert condition' } };
  const fields: Fields = {
    [table.mutationRoots.insert]: {
      ...root('insert', table, response(registry, table), `insert data into the table: "${title}"`),
      args: { objects: dataArgument(new GraphQLNonNull(new GraphQLList(input)), 'the rows to be inserted'), ...upsert },
    },
  };
  if (row !== undefined) {
    fields[table.mutationRoots.insert_one] = {
      ...root('insert_one', table, row, `insert a single row into the table: "${title}"`),
      args: { object: dataArgument(input, 'the row to be inserted'), ...upsert },
    };
  }
  return fields;
}

function updateRoots(registry: TypeRegistry, table: Table): Fields {
  if (mayUpdate(registry, table) === undefined) return {};
  const changes = changeArguments(registry, table);
  const title = tableTitle(table);
  const result = response(registry, table);
  const where = { type: new GraphQLNonNull(boolExp(registry, table)), description: 'filter the rows to be updated' };
  const updates = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(updatesInput(registry, table))));
  const fields: Fields = {
    [table.mutationRoots.update]: {
      ...root('update', table, result, `update data of the table: "${title}"`),
      args: { ...changes, where },
    },
    [table.mutationRoots.update_many]: {
      ...root('update_many', table, new GraphQLList(result), `update multiples rows of table: "${title}"`),
      args: { updates: dataArgument(updates, 'updates to execute, in order') },
    },
  };
  const row = rowType(registry, table);
  const key = visibleKey(registry, table);
  if (row !== undefined && key !== undefined) {
    const columns = new GraphQLNonNull(keyInput(registry, table, key));
    fields[table.mutationRoots.update_by_pk] = {
      ...root('update_by_pk', table, row, `update single row of the table: "${title}"`),
      args: { ...changes, pk_columns: dataArgument(columns, 'the key of the row') },
    };
  }
  return fields;
}

function deleteRoots(registry: TypeRegistry, table: Table): Fields {
  if (mayDelete(registry, table) === undefined) return {};
  const title = tableTitle(table);
  const where = { type: new GraphQLNonNull(boolExp(registry, table)), description: 'filter the rows to be deleted' };
  const fields: Fields = {
    [table.mutationRoots.delete]: {
      ...root('delete', table, response(registry, table), `delete data from the table: "${title}"`),
      args: { where },
    },
  };
  const row = rowType(registry, table);
  const key = visibleKey(registry, table);
  if (row !== undefined && key !== undefined) {
    fields[table.mutationRoots.delete_by_pk] = {
      ...root('delete_by_pk', table, row, `delete single row from the table: "${title}"`),
      args: Object.fromEntries(
        key.map(({ field, type, comment }) => [
          field,
          { ...columnInput(registry, type, 'required'), description: comment ?? null },
        ]),
      ),
    };
  }
  return fields;
}

function root(
  mutation: MutationKind,
  table: Table,
  type: GraphQLOutputType,
  description: string,
): GraphQLFieldConfig<unknown, unknown> {
  return {
    type,
    ...rootDescription(table, mutation, description),
    extensions: bound({ kind: 'mutation', mutation, table }),
  };
}

/** An argument that is read when the plan runs. */
function dataArgument(type: GraphQLInputType, description: string): GraphQLFieldConfigArgumentMap[string] {
  return { type, description, extensions: readWhenRun };
}

/** `t_mutation_response`. */
function response(registry: TypeRegistry, table: Table): GraphQLObjectType {
  const name = typeName(table, '_mutation_response');
  return registry.object(name, () => ({
    description: `response of any mutation on the table "${tableTitle(table)}"`,
    fields: () => {
      const row = rowType(registry, table);
      return {
        affected_rows: {
          type: new GraphQLNonNull(GraphQLInt),
          description: 'number of rows affected by the mutation',
          extensions: bound({ kind: 'affectedRows' }),
        },
        ...(row !== undefined && {
          returning: {
            type: listOfRows(row),
            description: 'data from the rows affected by the mutation',
            extensions: bound({ kind: 'returning' }),
          },
        }),
      };
    },
  }));
}
