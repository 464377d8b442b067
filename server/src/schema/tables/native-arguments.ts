/** The argument `args` of native queries, of type `<root field>_arguments`. */
import { type GraphQLFieldConfigArgumentMap, GraphQLNonNull } from 'graphql';
import type { Table } from '../../model/types/table.ts';
import { columnInput } from '../inputs/comparison.ts';
import type { TypeRegistry } from '../registry.ts';

/** `args`, which is required even if all of its members are nullable; nothing for a table or a query without arguments. */
export function nativeArguments(registry: TypeRegistry, { native, name }: Table): GraphQLFieldConfigArgumentMap {
  if (native === undefined || native.arguments.length === 0) return {};
  const input = registry.input(native.argumentsType, () => ({
    description: `Arguments of the native query "${name}"`,
    fields: Object.fromEntries(
      native.arguments.map((argument) => [
        argument.name,
        {
          ...columnInput(registry, argument.type, argument.nullable ? undefined : 'required'),
          description: argument.description ?? null,
        },
      ]),
    ),
  }));
  return { args: { type: new GraphQLNonNull(input), description: `arguments of the native query "${name}"` } };
}
