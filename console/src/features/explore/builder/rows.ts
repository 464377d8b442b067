/** The tree of an operation: what the schema offers and what the text selects, as rows with their edits. Pure. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
} from 'graphql';
import { addSelection, type Edit, rangeOf } from '../../../shared/graphql/text-edits.ts';
import { addFieldRows } from './field-rows.ts';
import type { Row, Tree } from './row.ts';

/** Returns the document, or the syntax error with its line. */
export function documentIn(text: string): DocumentNode | string {
  if (text.trim() === '') return { kind: Kind.DOCUMENT, definitions: [] };
  try {
    return parse(text);
  } catch (error) {
    const line = error instanceof Error && 'locations' in error ? lineOf(error.locations) : undefined;
    const message = error instanceof Error ? error.message : String(error);
    return line === undefined ? message : `${message} (line ${line})`;
  }
}

function lineOf(locations: unknown): number | undefined {
  const [first] = Array.isArray(locations) ? (locations as readonly { readonly line?: number }[]) : [];
  return first?.line;
}

/** Returns the visible rows. The operation or fragment that contains `caret` is expanded. */
export function treeRows(tree: Tree, document: DocumentNode, caret: number): readonly Row[] {
  const rows: Row[] = [];
  const roots = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION || one.kind === Kind.FRAGMENT_DEFINITION ? [one] : [],
  );
  const current = roots.findLast((one) => rangeOf(one).start <= caret) ?? roots[0];
  for (const [index, root] of roots.entries()) addRootRows(tree, root, `${index}`, root === current, rows);
  return rows;
}

function addRootRows(
  tree: Tree,
  root: OperationDefinitionNode | FragmentDefinitionNode,
  id: string,
  isCurrent: boolean,
  rows: Row[],
): void {
  const type = rootType(tree.schema, root);
  const isExpanded = type !== undefined && tree.isExpanded(id, isCurrent);
  rows.push({
    id,
    depth: 0,
    kind: 'operation',
    label: rootLabel(root),
    type: type?.name ?? '',
    about: undefined,
    isRequired: false,
    isChecked: true,
    isExpandable: type !== undefined,
    isExpanded,
    isKnown: type !== undefined,
    toggle: undefined,
    value: undefined,
    addItem: undefined,
    duplicate: undefined,
    extract: undefined,
  });
  if (!isExpanded || type === undefined) return;
  const { selectionSet } = root;
  const add = (source: string): Edit => addSelection(tree.text, selectionSet, source);
  const operation = root.kind === Kind.OPERATION_DEFINITION ? root : undefined;
  addFieldRows(tree, { id, depth: 1, type, selectionSet, parent: undefined, operation, add }, rows);
}

function rootType(
  schema: GraphQLSchema,
  root: OperationDefinitionNode | FragmentDefinitionNode,
): GraphQLNamedType | undefined {
  const type =
    root.kind === Kind.OPERATION_DEFINITION
      ? schema.getRootType(root.operation)
      : schema.getType(root.typeCondition.name.value);
  return isCompositeType(type) ? type : undefined;
}

function rootLabel(root: OperationDefinitionNode | FragmentDefinitionNode): string {
  if (root.kind === Kind.FRAGMENT_DEFINITION) return `fragment ${root.name.value}`;
  return root.name === undefined ? root.operation : `${root.operation} ${root.name.value}`;
}

/** Adds an operation with a first field below the others. Several operations need names. */
export function addOperation(text: string, document: DocumentNode, kind: OperationTypeNode): readonly Edit[] {
  const names = document.definitions.flatMap((one) => ('name' in one ? (one.name?.value ?? []) : []));
  const base = kind.charAt(0).toUpperCase() + kind.slice(1);
  let name = base;
  for (let count = 2; names.includes(name); count += 1) name = `${base}${count}`;
  const end = text.trimEnd().length;
  const gap = end === 0 ? '' : '\n\n';
  return [{ from: end, to: text.length, insert: `${gap}${kind} ${name} {\n  __typename\n}\n` }];
}
