/** The arguments of actions and the types that they use. */
import {
  type GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql';
import type { Action, EnumRef, InputField, InputNamed, ScalarRef, TypeRef } from '../../model/types/action.ts';
import { leafType } from '../enum-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { makeScalar } from '../scalars.ts';

/** All arguments of the action. */
export function argumentsOf(registry: TypeRegistry, action: Action): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(action.arguments.map((argument) => [argument.name, inputField(registry, argument)]));
}

function inputField(registry: TypeRegistry, field: InputField) {
  return {
    type: inputType(registry, field.type),
    ...described(field.description),
    ...(field.defaultValue !== undefined && { defaultValue: field.defaultValue }),
    ...(field.deprecated !== undefined && { deprecationReason: field.deprecated }),
  };
}

function inputType(registry: TypeRegistry, type: TypeRef<InputNamed>): GraphQLInputType {
  switch (type.kind) {
    case 'named':
      return namedInput(registry, type.type);
    case 'list':
      return new GraphQLList(inputType(registry, type.of));
    case 'nonNull':
      return new GraphQLNonNull(inputType(registry, type.of));
    default:
      return type satisfies never;
  }
}

/** The type of an argument or of a member of an input object. */
export function namedInput(registry: TypeRegistry, type: InputNamed): GraphQLInputType {
  if (type.kind !== 'input') return leaf(registry, type);
  return registry.input(type.name, () => ({
    ...described(type.description),
    fields: () => Object.fromEntries([...type.fields].map(([name, field]) => [name, inputField(registry, field)])),
  }));
}

/** The type of a scalar or enum that arguments or outputs use. */
export function leaf(registry: TypeRegistry, type: ScalarRef | EnumRef): GraphQLScalarType | GraphQLEnumType {
  if (type.kind === 'scalar') {
    if (type.origin !== 'custom') return registry.scalar(type.name);
    return registry.named(type.name, () => makeScalar(type.name, type.description));
  }
  if (type.column !== undefined) return leafType(registry, type.column);
  return registry.enumeration(type.name, () => ({
    ...described(type.description),
    values: Object.fromEntries(
      type.values.map(({ value, description, deprecated }) => [
        value,
        { ...described(description), ...(deprecated !== undefined && { deprecationReason: deprecated }) },
      ]),
    ),
  }));
}

/** The description as a member of a type's configuration. */
export function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}
