/** Rows of fields, fragments and their arguments in the tree. Pure. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import {
  addArgument,
  addSelection,
  addSelectionSet,
  type Edit,
  rangeOf,
  removeArgument,
  removeSelection,
  type Selected,
} from '../../../shared/graphql/text-edits.ts';
import { fieldSource, inlineFragmentSource } from './default-source.ts';
import { addInputRows } from './input-rows.ts';
import type { Row, Tree } from './row.ts';

/** A place for selections: an operation, a field or a fragment. */
export interface Scope {
  readonly id: string;
  /** Of the rows in it. */
  readonly depth: number;
  readonly type: GraphQLNamedType;
  /** Undefined when it is not in the text. */
  readonly selectionSet: SelectionSetNode | undefined;
  /** The selection whose set it is. Undefined for an operation or fragment. */
  readonly parent: Selected | undefined;
  /** Undefined in a fragment. */
  readonly operation: OperationDefinitionNode | undefined;
  /** Adds a selection, with the ancestors that are not in the text. */
  readonly add: (source: string) => Edit;
}

/** Adds the rows of what is selected and of what can be selected. */
export function addFieldRows(tree: Tree, scope: Scope, rows: Row[]): void {
  const { type, selectionSet } = scope;
  const selections = selectionSet?.selections ?? [];
  const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
  const isSought = scope.depth === 1 && tree.sought !== '';
  for (const selection of selections) addOtherRows(tree, scope, selection, fields, rows);
  for (const field of Object.values(fields)) {
    const nodes = selections.filter((one) => one.kind === Kind.FIELD && one.name.value === field.name);
    for (const node of nodes) if (node.kind === Kind.FIELD) addFieldRow(tree, scope, field, node, rows);
    const isShown = !isSought || field.name.toLowerCase().includes(tree.sought);
    if (nodes.length === 0 && isShown) addFieldRow(tree, scope, field, undefined, rows);
  }
  addFragmentRows(tree, scope, rows);
}

/** Adds rows of selections that are no field of the type: spreads, `__typename`, and fields that do not exist. */
function addOtherRows(
  tree: Tree,
  scope: Scope,
  selection: SelectionNode,
  fields: Readonly<Record<string, unknown>>,
  rows: Row[],
): void {
  const selected = selectedIn(scope, selection);
  if (selected === undefined || selection.kind === Kind.INLINE_FRAGMENT) return;
  const { name } = selection;
  if (selection.kind === Kind.FIELD && name.value in fields) return;
  const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
  rows.push({
    ...leaf(`${scope.id}/${isSpread ? '...' : ''}${name.value}`, scope.depth),
    kind: isSpread ? 'spread' : 'field',
    label: isSpread ? `...${name.value}` : labelOf(selection),
    isChecked: true,
    isKnown: isSpread || name.value === '__typename',
    toggle: () => [removeSelection(tree.text, selected)],
  });
}

function leaf(id: string, depth: number): Row {
  return {
    id,
    depth,
    kind: 'field',
    label: '',
    type: '',
    about: undefined,
    isRequired: false,
    isChecked: false,
    isExpandable: false,
    isExpanded: false,
    isKnown: true,
    toggle: undefined,
    value: undefined,
    addItem: undefined,
    duplicate: undefined,
    extract: undefined,
  };
}

function addFieldRow(
  tree: Tree,
  scope: Scope,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode | undefined,
  rows: Row[],
): void {
  const id = `${scope.id}/${node?.alias?.value ?? field.name}`;
  const type = getNamedType(field.type);
  const isComposite = !isLeafType(type);
  const isExpandable = isComposite || field.args.length > 0;
  const isUsed = node !== undefined && (isComposite || (node.arguments?.length ?? 0) > 0);
  const isExpanded = isExpandable && tree.isExpanded(id, isUsed);
  const selected = node === undefined ? undefined : selectedIn(scope, node);
  rows.push({
    ...leaf(id, scope.depth),
    label: node === undefined ? field.name : labelOf(node),
    type: String(field.type),
    about: field.deprecationReason ?? field.description ?? undefined,
    isChecked: node !== undefined,
    isExpandable,
    isExpanded,
    toggle: () => [selected === undefined ? scope.add(fieldSource(field)) : removeSelection(tree.text, selected)],
    duplicate: node === undefined ? undefined : () => [scope.add(aliased(tree.text, scope, node))],
  });
  if (!isExpanded) return;
  addArgumentRows(tree, { id, depth: scope.depth + 1, field, node, scope }, rows);
  if (!isComposite) return;
  const add = (source: string): Edit => {
    if (node === undefined) return scope.add(fieldSource(field, source));
    if (node.selectionSet === undefined) return addSelectionSet(tree.text, node, source);
    return addSelection(tree.text, node.selectionSet, source);
  };
  const { selectionSet } = node ?? {};
  addFieldRows(tree, { ...scope, id, depth: scope.depth + 1, type, selectionSet, parent: selected, add }, rows);
}

interface FieldPlace {
  readonly id: string;
  readonly depth: number;
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode | undefined;
  readonly scope: Scope;
}

function addArgumentRows(tree: Tree, { id, depth, field, node, scope }: FieldPlace, rows: Row[]): void {
  for (const argument of field.args) {
    const written = node?.arguments?.find(({ name }) => name.value === argument.name);
    addInputRows(
      tree,
      {
        id: `${id}(${argument.name}`,
        depth,
        kind: 'argument',
        label: argument.name,
        about: argument.description ?? undefined,
        type: argument.type,
        isRequired: isRequiredArgument(argument),
        value: written?.value,
        operation: scope.operation,
        add: (source) => {
          const text = `${argument.name}: ${source}`;
          return node === undefined ? scope.add(fieldSource(field, undefined, [text])) : addArgument(node, text);
        },
        remove: () =>
          node === undefined || written === undefined ? { from: 0, to: 0, insert: '' } : removeArgument(node, written),
      },
      rows,
    );
  }
}

/** Adds inline fragments, those in the text and those for the types that an abstract type can be. */
function addFragmentRows(tree: Tree, scope: Scope, rows: Row[]): void {
  const { type, selectionSet } = scope;
  const written = (selectionSet?.selections ?? []).flatMap((one) => (one.kind === Kind.INLINE_FRAGMENT ? [one] : []));
  const types = new Map<string, GraphQLNamedType>();
  for (const possible of possibleTypes(tree.schema, type)) types.set(possible.name, possible);
  for (const { typeCondition } of written) {
    const found = typeCondition === undefined ? type : tree.schema.getType(typeCondition.name.value);
    if (found !== undefined) types.set(found.name, found);
  }
  for (const [name, possible] of types) {
    const node = written.find(({ typeCondition }) => (typeCondition?.name.value ?? type.name) === name);
    const id = `${scope.id}/on ${name}`;
    const isExpanded = tree.isExpanded(id, node !== undefined);
    const selected = node === undefined ? undefined : selectedIn(scope, node);
    rows.push({
      ...leaf(id, scope.depth),
      kind: 'fragment',
      label: `... on ${name}`,
      about: possible.description ?? undefined,
      isChecked: node !== undefined,
      isExpandable: true,
      isExpanded,
      toggle: () => [
        selected === undefined ? scope.add(inlineFragmentSource(possible)) : removeSelection(tree.text, selected),
      ],
    });
    if (!isExpanded) continue;
    const add = (source: string): Edit =>
      node === undefined
        ? scope.add(inlineFragmentSource(possible, source))
        : addSelection(tree.text, node.selectionSet, source);
    const { selectionSet: inner } = node ?? {};
    addFieldRows(
      tree,
      { ...scope, id, depth: scope.depth + 1, type: possible, selectionSet: inner, parent: selected, add },
      rows,
    );
  }
}

function possibleTypes(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLNamedType[] {
  return isAbstractType(type) ? schema.getPossibleTypes(type) : [];
}

function selectedIn({ selectionSet, parent }: Scope, node: SelectionNode): Selected | undefined {
  return selectionSet === undefined ? undefined : { node, set: selectionSet, parent };
}

function labelOf({ alias, name }: FieldNode): string {
  return alias === undefined ? name.value : `${alias.value}: ${name.value}`;
}

/** Returns the text of a field with an alias that the set does not have. */
function aliased(text: string, { selectionSet }: Scope, node: FieldNode): string {
  const taken = new Set(
    (selectionSet?.selections ?? []).flatMap((one) => (one.kind === Kind.FIELD ? [(one.alias ?? one.name).value] : [])),
  );
  let count = 2;
  while (taken.has(`${node.name.value}${count}`)) count += 1;
  const { end } = rangeOf(node);
  return `${node.name.value}${count}: ${unindented(text.slice(rangeOf(node.name).start, end))}`;
}

/** Removes the indentation that all lines after the first have. */
function unindented(source: string): string {
  const [first = '', ...others] = source.split('\n');
  const indents = others.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  return [first, ...others.map((line) => line.slice(common))].join('\n');
}
