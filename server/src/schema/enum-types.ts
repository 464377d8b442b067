/** The leaf type of values of a column: a scalar, or the enum of an enum table. */
import type { GraphQLEnumType, GraphQLScalarType } from 'graphql';
import type { ColumnType } from '../model/types/column-type.ts';
import type { TypeRegistry } from './registry.ts';

/** The type of values of `type`, which is no array. */
export function leafType(registry: TypeRegistry, type: ColumnType): GraphQLScalarType | GraphQLEnumType {
  const { enumeration, scalar, upperCase } = type;
  if (enumeration === undefined) return registry.scalar(scalar);
  return registry.enumeration(scalar, () => ({
    values: Object.fromEntries(
      enumeration.map(({ value, comment }) => [
        upperCase ? value.toUpperCase() : value,
        { value, ...(comment !== undefined && { description: comment }) },
      ]),
    ),
  }));
}
