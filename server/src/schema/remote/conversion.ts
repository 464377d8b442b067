/** Types of remote schemas rebuilt in a role's schema, so that scalars of one name are one. */
import {
  astFromValue,
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedInputType,
  type GraphQLNamedOutputType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLUnionType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { TypeRegistry } from '../registry.ts';
import { makeScalar } from '../scalars.ts';

/** A field as the remote schema has it. Only root fields are bound: what is below them is forwarded as it is. */
export function remoteField(
  registry: TypeRegistry,
  field: GraphQLField<unknown, unknown>,
): GraphQLFieldConfig<unknown, unknown> {
  return {
    type: outputType(registry, field.type),
    args: Object.fromEntries(field.args.map((argument) => [argument.name, remoteInput(registry, argument)])),
    ...described(field),
  };
}

/** An argument or a field of an input object. */
export function remoteInput(
  registry: TypeRegistry,
  input: GraphQLArgument | GraphQLInputField,
): GraphQLFieldConfigArgumentMap[string] & GraphQLInputFieldConfig {
  const type = inputType(registry, input.type);
  if (input.defaultValue === undefined) return { type, ...described(input) };
  // What introspection could not print is left to the remote schema, which fills it in when nothing is sent.
  if (!isPrintable(input)) return { type: getNullableType(type), ...described(input) };
  return { type, defaultValue: input.defaultValue, ...described(input) };
}

/** Values of custom scalars that are lists or objects have no literal that graphql-js would print. */
function isPrintable({ defaultValue, type }: GraphQLArgument | GraphQLInputField): boolean {
  try {
    astFromValue(defaultValue, type);
    return true;
  } catch {
    return false;
  }
}

/** Undefined members must be left out under exact optional types. */
function described(from: {
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}): { readonly description?: string; readonly deprecationReason?: string } {
  const { description, deprecationReason } = from;
  return {
    ...(typeof description === 'string' && { description }),
    ...(typeof deprecationReason === 'string' && { deprecationReason }),
  };
}

function outputType(registry: TypeRegistry, type: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(outputType(registry, type.ofType));
  if (isListType(type)) return new GraphQLList(outputType(registry, type.ofType));
  return remoteType(registry, type);
}

function inputType(registry: TypeRegistry, type: GraphQLInputType): GraphQLInputType {
  if (isNonNullType(type)) return new GraphQLNonNull(inputType(registry, type.ofType));
  if (isListType(type)) return new GraphQLList(inputType(registry, type.ofType));
  return namedInput(registry, type);
}

function namedInput(registry: TypeRegistry, type: GraphQLNamedInputType): GraphQLNamedInputType {
  if (isScalarType(type)) return scalar(registry, type);
  return registry.named(type.name, () => (isEnumType(type) ? enumType(type) : inputObject(registry, type)));
}

/** The type of that name, made when it is first asked for. */
export function remoteType(registry: TypeRegistry, type: GraphQLNamedOutputType): GraphQLNamedOutputType {
  if (isScalarType(type)) return scalar(registry, type);
  return registry.named<GraphQLNamedOutputType>(type.name, () => {
    if (isEnumType(type)) return enumType(type);
    if (isObjectType(type)) return objectType(registry, type);
    if (isInterfaceType(type)) return interfaceType(registry, type);
    return unionType(registry, type as GraphQLUnionType);
  });
}

/** As `registry.scalar`; where nobody has asked for it before, with the description of the remote schema. */
function scalar(registry: TypeRegistry, type: GraphQLScalarType): GraphQLScalarType {
  return registry.named(type.name, () => makeScalar(type.name, type.description ?? undefined));
}

function enumType(type: GraphQLEnumType): GraphQLEnumType {
  const values = type.getValues().map((value) => [value.name, described(value)] as const);
  return new GraphQLEnumType({ name: type.name, values: Object.fromEntries(values), ...described(type) });
}

function inputObject(registry: TypeRegistry, type: GraphQLInputObjectType): GraphQLInputObjectType {
  return new GraphQLInputObjectType({
    name: type.name,
    isOneOf: type.isOneOf,
    fields: () =>
      Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, remoteInput(registry, field)])),
    ...described(type),
  });
}

function objectType(registry: TypeRegistry, type: GraphQLObjectType): GraphQLObjectType {
  const members = membersOf(registry, type);
  const fields = () => ({ ...members.fields(), ...registry.remoteJoins(type) });
  return new GraphQLObjectType({ name: type.name, ...members, fields, ...described(type) });
}

function interfaceType(registry: TypeRegistry, type: GraphQLInterfaceType): GraphQLInterfaceType {
  return new GraphQLInterfaceType({ name: type.name, ...membersOf(registry, type), ...described(type) });
}

/** Made late, so that types may refer to each other in circles. */
function membersOf(registry: TypeRegistry, type: GraphQLObjectType | GraphQLInterfaceType) {
  return {
    fields: () =>
      Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, remoteField(registry, field)])),
    interfaces: () => type.getInterfaces().map((one) => remoteType(registry, one) as GraphQLInterfaceType),
  };
}

function unionType(registry: TypeRegistry, type: GraphQLUnionType): GraphQLUnionType {
  return new GraphQLUnionType({
    name: type.name,
    types: () => type.getTypes().map((one) => remoteType(registry, one) as GraphQLObjectType),
    ...described(type),
  });
}
