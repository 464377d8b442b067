/** What an operation may cost, as far as its text tells: how deep it is, how much it selects. */
import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import type { PreparedOperation } from './operation.ts';

export interface Measures {
  /** Selections within selections; 1 for an operation without any. Introspection does not count. */
  readonly depth: number;
  /** Fields that are selected, each fragment counted wherever it is spread. Introspection does not count. */
  readonly nodes: number;
  /** Fields at the root, under whatever aliases. */
  readonly roots: number;
  /** Fields of introspection, counted as `nodes` are; 0 for an operation that does not read the schema. */
  readonly introspected: number;
}

const known = new WeakMap<PreparedOperation, Measures>();

/** Measured once for each operation that is remembered. */
export function measure(prepared: PreparedOperation): Measures {
  const before = known.get(prepared);
  if (before !== undefined) return before;
  const measured = measureOperation(prepared);
  known.set(prepared, measured);
  return measured;
}

function measureOperation({ node, document }: PreparedOperation): Measures {
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

/** Each fragment is measured once, however often it is spread: spreads within spreads grow like powers. */
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
