/** Inputs and leaf types of remote schemas, rebuilt so that types of the same name are one in the role's schema. */
import {
  astFromValue,
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedInputType,
  GraphQLNonNull,
  type GraphQLScalarType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import type { TypeRegistry } from '../registry.ts';
import { makeScalar } from '../scalars.ts';

/** The configuration of an argument or of a member of an input object. */
export function remoteInput(
  registry: TypeRegistry,
  input: GraphQLArgument | GraphQLInputField,
): GraphQLFieldConfigArgumentMap[string] & GraphQLInputFieldConfig {
  const type = inputType(registry, input.type);
  if (input.defaultValue === undefined) return { type, ...copiedDescription(input) };
  // The remote schema applies a default that introspection cannot print: the input becomes optional here.
  if (!isPrintable(input)) return { type: getNullableType(type), ...copiedDescription(input) };
  return { type, defaultValue: input.defaultValue, ...copiedDescription(input) };
}

/** Whether graphql-js can print the default; it cannot print lists and objects of custom scalars. */
function isPrintable({ defaultValue, type }: GraphQLArgument | GraphQLInputField): boolean {
  try {
    astFromValue(defaultValue, type);
    return true;
  } catch {
    return false;
  }
}

/** Description and deprecation of a remote element. Exact optional types require that undefined members are left out. */
export function copiedDescription(from: {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}): { readonly description?: string; readonly deprecationReason?: string } {
  const { description, deprecationReason } = from;
  return {
    ...(typeof description === 'string' && { description }),
    ...(typeof deprecationReason === 'string' && { deprecationReason }),
  };
}

function inputType(registry: TypeRegistry, type: GraphQLInputType): GraphQLInputType {
  if (isNonNullType(type)) return new GraphQLNonNull(inputType(registry, type.ofType));
  if (isListType(type)) return new GraphQLList(inputType(registry, type.ofType));
  return namedInput(registry, type);
}

function namedInput(registry: TypeRegistry, type: GraphQLNamedInputType): GraphQLNamedInputType {
  if (isScalarType(type)) return remoteScalar(registry, type);
  return registry.named(type.name, () => (isEnumType(type) ? enumType(type) : inputObject(registry, type)));
}

/** The scalar of that name. If it is new, it gets the description of the remote schema. */
export function remoteScalar(registry: TypeRegistry, type: GraphQLScalarType): GraphQLScalarType {
  return registry.named(type.name, () => makeScalar(type.name, type.description ?? undefined));
}

export function enumType(type: GraphQLEnumType): GraphQLEnumType {
  const values = type.getValues().map((value) => [value.name, copiedDescription(value)] as const);
  return new GraphQLEnumType({ name: type.name, values: Object.fromEntries(values), ...copiedDescription(type) });
}

function inputObject(registry: TypeRegistry, type: GraphQLInputObjectType): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: type.name,
    isOneOf: type.isOneOf,
    fields: () =>
      Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, remoteInput(registry, field)])),
    ...copiedDescription(type),
  });
}
