/** Completes variable names, fields of input objects and enum values in JSON. Pure. */
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type JsonNode, jsonTree } from './json-tree.ts';
import type { ExpectedVariable } from './variable-check.ts';

export interface JsonCompletion {
  /** Offset from where the text before the caret is replaced. */
  readonly from: number;
  readonly options: readonly { readonly label: string; readonly detail: string; readonly insert: string }[];
}

/** Returns the options at `offset`. Undefined where there are none. */
export function completeVariables(
  text: string,
  offset: number,
  expected: readonly ExpectedVariable[],
): JsonCompletion | undefined {
  const before = text.slice(0, offset);
  const [word = ''] = /"?\w*$/.exec(before) ?? [];
  const from = offset - word.length;
  const lead = text.slice(0, from).trimEnd();
  const root = jsonTree(text);
  if (lead.endsWith(':')) {
    const type = root === undefined ? undefined : valueType(root, lead.length - 1, expected);
    return type === undefined ? undefined : options(from, valueOptions(type));
  }
  const isMember = lead.endsWith('{') || (lead.endsWith(',') && enclosing(root, from)?.kind === 'object');
  if (!isMember) return lead.endsWith('[') || lead.endsWith(',') ? listOptions(root, from, expected) : undefined;
  const object = enclosing(root, from);
  if (root === undefined || object === undefined) return undefined;
  const written = new Set(object.members.filter((member) => member.from !== from).map(({ name }) => name));
  const names = object === root ? expected : fieldsOf(typeAt(root, object.from, expected));
  return options(
    from,
    names
      .filter(({ name }) => !written.has(name))
      .map(({ name, type }) => ({ label: name, detail: String(type ?? ''), insert: `"${name}": ` })),
  );
}

function options(from: number, found: JsonCompletion['options']): JsonCompletion | undefined {
  return found.length === 0 ? undefined : { from, options: found };
}

function listOptions(
  root: JsonNode | undefined,
  from: number,
  expected: readonly ExpectedVariable[],
): JsonCompletion | undefined {
  const list = enclosing(root, from);
  if (root === undefined || list?.kind !== 'list') return undefined;
  const type = typeAt(root, list.from, expected);
  return type === undefined ? undefined : options(from, valueOptions(type));
}

function valueOptions(type: GraphQLInputType): JsonCompletion['options'] {
  const named = getNamedType(type);
  if (isEnumType(named)) {
    return named.getValues().map(({ name }) => ({ label: name, detail: named.name, insert: `"${name}"` }));
  }
  if (named.name === 'Boolean') {
    return ['true', 'false'].map((label) => ({ label, detail: 'Boolean', insert: label }));
  }
  return [];
}

/** Returns the type of the member whose colon is at `colon`. */
function valueType(root: JsonNode, colon: number, expected: readonly ExpectedVariable[]): GraphQLInputType | undefined {
  const object = enclosing(root, colon);
  const member = object?.members.findLast(({ to }) => to <= colon);
  if (object === undefined || member === undefined) return undefined;
  const names = object === root ? expected : fieldsOf(typeAt(root, object.from, expected));
  return names.find(({ name }) => name === member.name)?.type;
}

interface NamedInput {
  readonly name: string;
  readonly type: GraphQLInputType | undefined;
}

function fieldsOf(type: GraphQLInputType | undefined): readonly NamedInput[] {
  const named = type === undefined ? undefined : getNamedType(type);
  return isInputObjectType(named) ? Object.values(named.getFields()) : [];
}

/** Returns the innermost object or list that contains `offset`. */
function enclosing(node: JsonNode | undefined, offset: number): JsonNode | undefined {
  if (
    node === undefined ||
    offset <= node.from ||
    offset > node.to ||
    (node.kind !== 'object' && node.kind !== 'list')
  ) {
    return undefined;
  }
  const inside = [...node.items, ...node.members.flatMap(({ value }) => value ?? [])];
  for (const child of inside) {
    const found = enclosing(child, offset);
    if (found !== undefined && offset < child.to) return found;
  }
  return node;
}

/** Returns the type of the object or list that begins at `from`. */
function typeAt(root: JsonNode, from: number, expected: readonly ExpectedVariable[]): GraphQLInputType | undefined {
  return within(root, from, undefined, expected);
}

function within(
  node: JsonNode,
  from: number,
  type: GraphQLInputType | undefined,
  names: readonly NamedInput[],
): GraphQLInputType | undefined {
  if (node.from === from) return type;
  const nullable = type === undefined ? undefined : getNullableType(type);
  for (const item of node.items) {
    const itemType = isListType(nullable) ? nullable.ofType : nullable;
    const found = within(item, from, itemType, fieldsOf(itemType));
    if (found !== undefined) return found;
  }
  for (const { name, value } of node.members) {
    const member = names.find((one) => one.name === name)?.type;
    if (value === undefined || member === undefined) continue;
    const found = within(value, from, member, fieldsOf(member));
    if (found !== undefined) return found;
  }
  return undefined;
}
