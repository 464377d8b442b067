/** Converts GraphQL literals to JSON values without loss, for custom scalars. */
import { Kind, type ValueNode } from 'graphql';
import { parseJson } from '../base/json-value.ts';

/** The value of a variable; undefined if it was not given. */
export type VariableValue = (name: string) => unknown;

/** Returns ExactNumber for numbers that exceed a double, names for enum values, and null for a variable that was not given. */
export function literalValue(node: ValueNode, variable: VariableValue): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variable(node.name.value);
    case Kind.INT:
    case Kind.FLOAT:
      return parseJson(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variable) ?? null);
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map((field) => [field.name.value, literalValue(field.value, variable) ?? null]),
      );
    default:
      return node satisfies never;
  }
}
