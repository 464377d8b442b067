/** The text of an operation without values, which is equal for operations that differ in values only. */
import { type ASTNode, Kind, print, visit } from 'graphql';
import type { PreparedOperation } from './operation.ts';

const known = new WeakMap<PreparedOperation, string>();

/** Returns the operation and its fragments as GraphQL text, without the name of the operation. */
export function operationShape(prepared: PreparedOperation): string {
  const before = known.get(prepared);
  if (before !== undefined) return before;
  const { node, document } = prepared;
  const { name: _, ...anonymous } = node;
  const shape = [anonymous, ...document.fragments.values()]
    .map((definition) => print(withoutValues(definition)))
    .join('\n');
  known.set(prepared, shape);
  return shape;
}

/** Replaces values by null. Enums are preserved, since they select what is executed, such as the direction of an order. */
function withoutValues(definition: ASTNode): ASTNode {
  const value = { kind: Kind.NULL } as const;
  return visit(definition, {
    IntValue: () => value,
    FloatValue: () => value,
    StringValue: () => value,
    BooleanValue: () => value,
    ListValue: { leave: (list) => (list.values.every(({ kind }) => kind === Kind.NULL) ? value : undefined) },
  });
}
