/** The scalar of a type, or the enum that a table makes of it. */
import { GraphQLEnumType, type GraphQLScalarType } from 'graphql';
import type { ColumnType } from '../model/types/column-type.ts';
import type { TypeRegistry } from './registry.ts';

/** What values of a type that is no array have in GraphQL. */
export function leafType(registry: TypeRegistry, type: ColumnType): GraphQLScalarType | GraphQLEnumType {
  const { enumeration, scalar } = type;
  if (enumeration === undefined) return registry.scalar(scalar);
  return registry.named(
    scalar,
    () =>
      new GraphQLEnumType({
        name: scalar,
        values: Object.fromEntries(
          enumeration.map(({ value, comment }) => [value, comment === undefined ? {} : { description: comment }]),
        ),
      }),
  );
}
