/** The cost of an operation, computed from its document: its depth and the number of its fields. */
import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import type { PreparedOperation } from './operation.ts';

export interface OperationCost {
  /** Nesting depth of selections; 1 if there is only one level. Introspection does not count. */
  readonly depth: number;
  /** Number of selected fields, with each fragment counted at every spread. Introspection does not count. */
  readonly nodes: number;
  /** Number of root fields. */
  readonly roots: number;
  /** Number of introspection fields, counted like `nodes`. */
  readonly introspected: number;
}

const known = new WeakMap<PreparedOperation, OperationCost>();

/** Returns the cost of the operation. It is computed once for each cached operation. */
export function operationCost(prepared: PreparedOperation): OperationCost {
  const before = known.get(prepared);
  if (before !== undefined) return before;
  const cost = computeCost(prepared);
  known.set(prepared, cost);
  return cost;
}

function computeCost({ node, document }: PreparedOperation): OperationCost {
  const fragments = new Map<string, Size>();
  const size = sizeOf(node.selectionSet, document.fragments, fragments);
  const roots = rootsOf(node.selectionSet, document.fragments);
  const introspections = roots.filter(isIntrospection);
  return { ...size, roots: roots.length, introspected: introspectedBy(introspections, document.fragments) };
}

function introspectedBy(roots: readonly FieldNode[], definitions: ReadonlyMap<string, FragmentDefinitionNode>): number {
  const fragments = new Map<string, Size>();
  const sizes = roots.map(({ selectionSet }) => selectionSet && sizeOf(selectionSet, definitions, fragments));
  return sizes.reduce((sum, size) => sum + 1 + (size?.nodes ?? 0), 0);
}

interface Size {
  readonly depth: number;
  readonly nodes: number;
}

const nothing: Size = { depth: 0, nodes: 0 };

/** Each fragment is visited once, however often it is spread, since nested spreads can grow exponentially. */
function sizeOf(
  { selections }: SelectionSetNode,
  definitions: ReadonlyMap<string, FragmentDefinitionNode>,
  fragments: Map<string, Size>,
): Size {
  let depth = 0;
  let nodes = 0;
  const add = (size: Size) => {
    depth = Math.max(depth, size.depth);
    nodes += size.nodes;
  };
  for (const selection of selections) {
    switch (selection.kind) {
      case Kind.FIELD: {
        if (isIntrospection(selection)) break;
        const inner = selection.selectionSet ? sizeOf(selection.selectionSet, definitions, fragments) : nothing;
        add({ depth: inner.depth + 1, nodes: inner.nodes + 1 });
        break;
      }
      case Kind.INLINE_FRAGMENT:
        add(sizeOf(selection.selectionSet, definitions, fragments));
        break;
      case Kind.FRAGMENT_SPREAD: {
        const name = selection.name.value;
        const definition = definitions.get(name);
        const size = fragments.get(name) ?? (definition && sizeOf(definition.selectionSet, definitions, fragments));
        if (size === undefined) break;
        fragments.set(name, size);
        add(size);
        break;
      }
      default:
        selection satisfies never;
    }
  }
  return { depth, nodes };
}

function rootsOf(
  { selections }: SelectionSetNode,
  definitions: ReadonlyMap<string, FragmentDefinitionNode>,
): readonly FieldNode[] {
  const roots: FieldNode[] = [];
  const seen = new Set<string>();
  const visit = (list: SelectionSetNode['selections']): void => {
    for (const selection of list) {
      if (selection.kind === Kind.FIELD) roots.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet.selections);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        visit(definitions.get(selection.name.value)?.selectionSet.selections ?? []);
      }
    }
  };
  visit(selections);
  return roots;
}

function isIntrospection({ name }: FieldNode): boolean {
  return name.value === '__schema' || name.value === '__type';
}
