/** GraphQL literals as JSON values, without loss: what a custom scalar takes. */
import { Kind, type ValueNode } from 'graphql';
import { parseJson } from '../base/json-value.ts';

/** What a variable stands for; `undefined` when it was not given. */
export type VariableValue = (name: string) => unknown;

/**
 * Numbers beyond a double become ExactNumber, enum values their names. A member whose variable is not given is left out
 * of an object; in a list it is null.
 */
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
    case Kind.OBJECT: {
      const members = node.fields.map((field) => [field.name.value, literalValue(field.value, variable)] as const);
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    default:
      return node satisfies never;
  }
}
