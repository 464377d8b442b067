/** Compares types of the same name. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
} from 'graphql';

/**
 * Whether the types are equal, so that one can be used for both: of the same kind, with the same fields, arguments, values or
 * members. Scalars are equal. Descriptions, directives, defaults of optional inputs and the order of members do not count.
 */
export function sameType(one: GraphQLNamedType, other: GraphQLNamedType): boolean {
  return one === other || JSON.stringify(shapeOf(one)) === JSON.stringify(shapeOf(other));
}

function shapeOf(type: GraphQLNamedType): readonly unknown[] {
  if (isScalarType(type)) return ['scalar'];
  if (isEnumType(type)) return ['enum', sorted(type.getValues())];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => inputShape(field, isRequiredInputField(field)));
    return ['input', type.isOneOf, fields.sort()];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return ['union', sorted(type.getTypes())];
  const fields = Object.values(type.getFields()).map(fieldShape).sort();
  return [isInterfaceType(type) ? 'interface' : 'object', fields, sorted(type.getInterfaces())];
}

function fieldShape({ name, type, args }: GraphQLField<unknown, unknown>): string {
  const inputs = args.map((argument) => inputShape(argument, isRequiredArgument(argument)));
  return JSON.stringify([name, String(type), inputs.sort()]);
}

function inputShape({ name, type }: GraphQLArgument | GraphQLInputField, required: boolean): string {
  return JSON.stringify([name, String(type), required]);
}

function sorted(members: readonly { readonly name: string }[]): readonly string[] {
  return members.map(({ name }) => name).sort();
}
