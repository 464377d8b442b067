/** Rows of arguments and input fields in the tree. Pure. */
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';
import {
  addListItem,
  addObjectField,
  addVariable,
  type Edit,
  rangeOf,
  removeListItem,
  removeObjectField,
  replaceNode,
} from '../../../shared/graphql/text-edits.ts';
import { isNumeric, valueSource } from './default-source.ts';
import type { Extracted, Row, Tree, ValueField } from './row.ts';

/** An argument or an input field in the schema, and where it is written. */
export interface Input {
  readonly id: string;
  readonly depth: number;
  readonly kind: 'argument' | 'input' | 'item';
  readonly label: string;
  readonly about: string | undefined;
  readonly type: GraphQLInputType;
  readonly isRequired: boolean;
  /** Undefined when it is not written. */
  readonly value: ValueNode | undefined;
  /** Undefined in a fragment. */
  readonly operation: OperationDefinitionNode | undefined;
  /** Writes the value where it is not written. */
  readonly add: (source: string) => Edit;
  readonly remove: () => Edit;
}

/** Adds the row of an input, and the rows below it while it is expanded. */
export function addInputRows(tree: Tree, input: Input, rows: Row[]): void {
  const { value, type } = input;
  const nullable = getNullableType(type);
  const named = getNamedType(type);
  const isList = isListType(nullable) && value?.kind === Kind.LIST;
  const isObject = isInputObjectType(named) && !isList && (value === undefined || value.kind === Kind.OBJECT);
  const isExpandable = isObject || isList;
  const isChecked = value !== undefined;
  const isExpanded = isExpandable && tree.isExpanded(input.id, isChecked);
  rows.push({
    id: input.id,
    depth: input.depth,
    kind: input.kind,
    label: input.label,
    type: String(type),
    about: input.about,
    isRequired: input.isRequired,
    isChecked,
    isExpandable,
    isExpanded,
    isKnown: true,
    toggle: () => [isChecked ? input.remove() : input.add(valueSource(type))],
    value: value === undefined ? undefined : valueField(tree.text, type, value),
    addItem: isListType(nullable) && isChecked ? () => [itemEdit(tree.text, nullable.ofType, value)] : undefined,
    duplicate: undefined,
    extract: extraction(input),
  });
  if (!isExpanded) return;
  if (isList && value?.kind === Kind.LIST && isListType(nullable)) {
    for (const item of itemsOf(input, value, nullable.ofType)) addInputRows(tree, item, rows);
    return;
  }
  for (const field of fieldsOf(input)) addInputRows(tree, field, rows);
}

function itemsOf(
  input: Input,
  list: ValueNode & { readonly kind: Kind.LIST },
  type: GraphQLInputType,
): readonly Input[] {
  return list.values.map((value, index) => ({
    id: `${input.id}/${index}`,
    depth: input.depth + 1,
    kind: 'item',
    label: `${index + 1}.`,
    about: undefined,
    type,
    isRequired: false,
    value,
    operation: input.operation,
    add: (source) => replaceNode(value, source),
    remove: () => removeListItem(list, index),
  }));
}

function fieldsOf(input: Input): readonly Input[] {
  const named = getNamedType(input.type);
  if (!isInputObjectType(named)) return [];
  const object = input.value?.kind === Kind.OBJECT ? input.value : undefined;
  return Object.values(named.getFields()).map((field) => {
    const written = object?.fields.find(({ name }) => name.value === field.name);
    return {
      id: `${input.id}/${field.name}`,
      depth: input.depth + 1,
      kind: 'input',
      label: field.name,
      about: field.description ?? undefined,
      type: field.type,
      isRequired: false,
      value: written?.value,
      operation: input.operation,
      add: (source) => {
        const member = `${field.name}: ${source}`;
        return object === undefined ? input.add(`{${member}}`) : addObjectField(object, member);
      },
      remove: () =>
        object === undefined || written === undefined ? input.remove() : removeObjectField(object, written),
    };
  });
}

/** Moves a value without variables to a variable of the operation. */
function extraction({ value, type, label, operation, kind }: Input): (() => Extracted) | undefined {
  if (value === undefined || operation === undefined || hasVariable(value)) return undefined;
  return () => {
    const taken = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value));
    const base = kind === 'item' ? 'item' : label.replace(/^_+/, '');
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}${count}`;
    const edits = [replaceNode(value, `$${name}`), addVariable(operation, `$${name}: ${type}`)];
    return { edits, name, value: valueFromASTUntyped(value) };
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

/** Adds an item to a list. A single value becomes the first item of a list. */
function itemEdit(text: string, type: GraphQLInputType, value: ValueNode): Edit {
  const source = valueSource(type);
  if (value.kind === Kind.LIST) return addListItem(value, source);
  const { start, end } = rangeOf(value);
  return replaceNode(value, `[${text.slice(start, end)}, ${source}]`);
}

/** How the value of a leaf is changed. Undefined for values that are changed by the rows below or in the text. */
function valueField(text: string, type: GraphQLInputType, value: ValueNode): ValueField | undefined {
  const named = getNamedType(type);
  const { start, end } = rangeOf(value);
  const change = (source: string): readonly Edit[] => [replaceNode(value, source)];
  if (value.kind === Kind.VARIABLE)
    return { kind: 'text', text: text.slice(start, end), change: (typed) => change(sourceOf(typed, named.name)) };
  if (value.kind === Kind.LIST || value.kind === Kind.OBJECT || !isLeafType(named)) return undefined;
  if (isEnumType(named)) {
    const names = named.getValues().map(({ name }) => name);
    return { kind: 'choice', text: text.slice(start, end), options: names, change };
  }
  if (named.name === 'Boolean')
    return { kind: 'choice', text: text.slice(start, end), options: ['true', 'false'], change };
  const shown = value.kind === Kind.STRING ? value.value : text.slice(start, end);
  return { kind: 'text', text: shown, change: (typed) => change(sourceOf(typed, named.name)) };
}

/** Writes typed text as a literal: a variable, `null`, a number, or a string. */
function sourceOf(typed: string, scalar: string): string {
  const trimmed = typed.trim();
  if (/^\$[_A-Za-z]\w*$/.test(trimmed) || trimmed === 'null') return trimmed;
  if (isNumeric(scalar) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed)) return trimmed;
  return JSON.stringify(typed);
}
