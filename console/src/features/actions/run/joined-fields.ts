/** Joined fields in the request of an action: their sources, and adding and removing them in its text. Pure. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { addSelection, addSelectionSet, applied, removeSelection } from '../../../shared/graphql/text-edits.ts';

const MOST_FIELDS = 8;

/** Returns `customer {\n  id\n  name\n}`. Undefined for a field that is not in the schema, or needs arguments. */
export function joinedSource(schema: GraphQLSchema, typeName: string, name: string): string | undefined {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return undefined;
  const field = type.getFields()[name];
  if (field === undefined || field.args.some(isRequiredArgument)) return undefined;
  const target = getNamedType(field.type);
  const head = `${name}${field.args.some((one) => one.name === 'limit') ? '(limit: 5)' : ''}`;
  if (isLeafType(target)) return head;
  const fields = isObjectType(target) || isInterfaceType(target) ? Object.values(target.getFields()) : [];
  const leaves = fields.filter(isPlainLeaf).slice(0, MOST_FIELDS);
  const lines = leaves.length === 0 ? ['__typename'] : leaves.map((one) => one.name);
  return `${head} {\n${lines.map((line) => `  ${line}\n`).join('')}}`;
}

function isPlainLeaf({ type, args }: GraphQLField<unknown, unknown>): boolean {
  return isLeafType(getNamedType(type)) && !args.some(isRequiredArgument);
}

/** Returns the fields that the text selects of the result of an action. Undefined for a text that cannot be parsed. */
export function selectedFields(text: string, action: string): ReadonlySet<string> | undefined {
  const call = callIn(text, action)?.call;
  if (call === undefined) return undefined;
  const fields = call.selectionSet?.selections.filter((one) => one.kind === Kind.FIELD) ?? [];
  return new Set(fields.map(({ name }) => name.value));
}

/** Adds a field to the selection of an action. Comments and formatting are kept. */
export function withField(text: string, action: string, source: string): string {
  const call = callIn(text, action)?.call;
  if (call === undefined) return text;
  const set = call.selectionSet;
  return applied(text, [set === undefined ? addSelectionSet(text, call, source) : addSelection(text, set, source)]);
}

export function withoutField(text: string, action: string, name: string): string {
  const found = callIn(text, action);
  const set = found?.call.selectionSet;
  const node = set?.selections.find((one) => one.kind === Kind.FIELD && one.name.value === name);
  if (found === undefined || set === undefined || node === undefined) return text;
  const parent = { node: found.call, set: found.set, parent: undefined };
  return applied(text, [removeSelection(text, { node, set, parent })]);
}

interface FoundCall {
  readonly call: FieldNode;
  readonly set: SelectionSetNode;
}

/** Returns the first root field of this name. */
function callIn(text: string, action: string): FoundCall | undefined {
  try {
    for (const definition of parse(text).definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      for (const one of definition.selectionSet.selections) {
        if (one.kind === Kind.FIELD && one.name.value === action) return { call: one, set: definition.selectionSet };
      }
    }
  } catch {
    // The editor marks the syntax error.
  }
  return undefined;
}
