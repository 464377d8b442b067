/** What an operation asks for without the values in it: the same text for all that differ in values alone. */
import { type ASTNode, Kind, print, visit } from 'graphql';
import type { PreparedOperation } from './operation.ts';

const known = new WeakMap<PreparedOperation, string>();

/** GraphQL text of the operation and the fragments of its document; its own name is left out. */
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

/** Enums stay: they choose what is run, such as the direction of an order. A list of values is as long as it is. */
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
