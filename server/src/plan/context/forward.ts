/** Selections forwarded to a remote schema: without named fragments, @skip and @include; variables are preserved. */
import {
  type ArgumentNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { isIncluded, type Selecting } from './collect.ts';

/** Returns the selections as one set (undefined if there are none), and the definitions of all variables used. */
export function forwardSelections(
  selecting: Selecting,
  definitions: ReadonlyMap<string, VariableDefinitionNode>,
  selections: readonly SelectionSetNode[],
  args: readonly ArgumentNode[],
): { readonly selection: SelectionSetNode | undefined; readonly variables: readonly VariableDefinitionNode[] } {
  const used = new Set<string>();
  for (const argument of args) noteVariables(argument, used);
  const nodes = selections.flatMap((set) => inline(selecting, set, used));
  return {
    selection: selections.length === 0 ? undefined : selectionSet(nodes),
    variables: [...definitions].filter(([name]) => used.has(name)).map(([, definition]) => definition),
  };
}

/** A selection set cannot be empty, so `__typename` is selected where all fields were skipped. */
function selectionSet(selections: readonly SelectionNode[]): SelectionSetNode {
  const typename: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  return { kind: Kind.SELECTION_SET, selections: selections.length === 0 ? [typename] : selections };
}

function inline(selecting: Selecting, set: SelectionSetNode, used: Set<string>): SelectionNode[] {
  const nodes: SelectionNode[] = [];
  const spread = new Set<string>();
  for (const selection of set.selections) {
    if (!isIncluded(selection.directives, selecting.variables)) continue;
    selecting.count();
    switch (selection.kind) {
      case Kind.FIELD: {
        for (const argument of selection.arguments ?? []) noteVariables(argument, used);
        const { selectionSet: below, ...field } = selection;
        const plain = { ...field, directives: [] };
        nodes.push(below ? { ...plain, selectionSet: selectionSet(inline(selecting, below, used)) } : plain);
        break;
      }
      case Kind.INLINE_FRAGMENT:
        nodes.push({
          ...selection,
          directives: [],
          selectionSet: selectionSet(inline(selecting, selection.selectionSet, used)),
        });
        break;
      case Kind.FRAGMENT_SPREAD: {
        const fragment = selecting.fragments.get(selection.name.value);
        if (fragment === undefined || spread.has(selection.name.value)) break;
        spread.add(selection.name.value);
        nodes.push({
          kind: Kind.INLINE_FRAGMENT,
          typeCondition: fragment.typeCondition,
          selectionSet: selectionSet(inline(selecting, fragment.selectionSet, used)),
        });
        break;
      }
      default:
        selection satisfies never;
    }
  }
  return nodes;
}

function noteVariables(argument: ArgumentNode, used: Set<string>): void {
  visit(argument, { Variable: (node) => void used.add(node.name.value) });
}
