/** The root fields of native queries, in queries and in subscriptions. */
import type { GraphQLFieldConfigMap } from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import { bound } from '../binding.ts';
import { rowType } from '../output-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { listOfRows } from './columns.ts';
import { listArguments } from './list-arguments.ts';
import { nativeArguments } from './native-arguments.ts';

/** The fields of the native queries whose logical model the role may select. */
export function nativeRoots(registry: TypeRegistry): GraphQLFieldConfigMap<unknown, unknown> {
  const fields: GraphQLFieldConfigMap<unknown, unknown> = {};
  for (const { nativeQueries } of registry.model.sources.values()) {
    for (const [root, table] of nativeQueries ?? []) {
      const access = selectAccess(table, registry.role);
      const row = access && rowType(registry, table);
      if (access === undefined || access.columns.size === 0 || row === undefined) continue;
      fields[root] = {
        type: listOfRows(row),
        description: table.native?.description ?? `fetch rows of the native query "${root}"`,
        args: { ...nativeArguments(registry, table), ...listArguments(registry, table) },
        extensions: bound({ kind: 'root', root: 'select', table, access }),
      };
    }
  }
  return fields;
}
