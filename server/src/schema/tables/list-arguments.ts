/** The arguments of fields that return a list of rows. */
import { type GraphQLFieldConfigArgumentMap, GraphQLList, GraphQLNonNull } from 'graphql';
import type { Table } from '../../model/types/table.ts';
import { takesDigits } from '../binding.ts';
import { clientInputs } from '../convention.ts';
import { orderBy, selectColumn } from '../inputs/order.ts';
import { boolExp } from '../inputs/where.ts';
import type { TypeRegistry } from '../registry.ts';

/** `distinct_on`, `limit`, `offset`, `order_by` and `where`, as far as the role has columns for them. */
export function listArguments({ plain }: TypeRegistry, table: Table): GraphQLFieldConfigArgumentMap {
  const known = plain.listArguments.get(table);
  if (known !== undefined) return known;
  const own = plain.of(table);
  const created = own === plain ? argumentsOf(own, table) : clientInputs(argumentsOf(own, table));
  plain.listArguments.set(table, created);
  return created;
}

function argumentsOf(registry: TypeRegistry, table: Table): GraphQLFieldConfigArgumentMap {
  const columns = selectColumn(registry, table);
  const order = orderBy(registry, table);
  const count = registry.scalar('Int');
  return {
    ...(columns !== undefined && {
      distinct_on: { type: new GraphQLList(new GraphQLNonNull(columns)), description: 'distinct select on columns' },
    }),
    limit: { type: count, description: 'limit the number of rows returned' },
    offset: { type: count, description: 'skip the first n rows. Use only with order_by', extensions: takesDigits },
    ...(order !== undefined && {
      order_by: {
        type: new GraphQLList(new GraphQLNonNull(order)),
        description: 'sort the rows by one or more columns',
      },
    }),
    where: { type: boolExp(registry, table), description: 'filter the rows returned' },
  };
}
