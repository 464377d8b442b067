/** The root fields of tracked functions: their rows, and aggregates over them. */
import { type GraphQLFieldConfigMap, GraphQLNonNull } from 'graphql';
import { functionAccess } from '../../model/permissions/access.ts';
import type { TableFunction } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { aggregateType, rowType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { listOfRows } from './columns.ts';
import { functionArguments } from './function-arguments.ts';
import { listArguments } from './list-arguments.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The fields of the functions that the role may call. Those of `query` are fields of subscriptions as well. */
export function functionRoots(registry: TypeRegistry): { readonly query: Fields; readonly mutation: Fields } {
  const fields = { query: {} as Fields, mutation: {} as Fields };
  for (const { functions } of registry.model.sources.values()) {
    for (const one of functions?.values() ?? []) Object.assign(fields[one.exposedAs], rootsOf(registry, one));
  }
  return fields;
}

function rootsOf(registry: TypeRegistry, one: TableFunction): Fields {
  const access = functionAccess(one, registry.role);
  if (access === undefined) return {};
  const { routine, table, roots } = one;
  const fields: Fields = {};
  const row = rowType(registry, table);
  const args = (root: string) => ({
    ...functionArguments(registry, routine, `input parameters for function "${root}"`),
    ...listArguments(registry, table),
  });
  if (row !== undefined) {
    fields[roots.function] = {
      type: one.returnsSet ? listOfRows(row) : row,
      description: one.comment ?? `execute function "${routine.name}" which returns "${table.name}"`,
      args: args(roots.function),
      extensions: bound({ kind: 'function', result: 'rows', function: one, access }),
    };
  }
  const aggregate = one.exposedAs === 'query' ? aggregateType(registry, table) : undefined;
  if (aggregate !== undefined) {
    fields[roots.function_aggregate] = {
      type: new GraphQLNonNull(aggregate),
      description: `execute function "${routine.name}" and query aggregates on result of table type "${table.name}"`,
      args: args(roots.function_aggregate),
      extensions: bound({ kind: 'function', result: 'aggregate', function: one, access }),
    };
  }
  return fields;
}
