/** The path from the query root of a remote schema to the field of a relationship, in the metadata and as GraphQL. Pure. */
import {
  type FieldNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { parseExactly } from '../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { sentence } from '../../ui/format.ts';

/** A field with its arguments. Strings that start with `$` name a key. */
export interface PathStep {
  readonly field: string;
  readonly arguments: JsonObject;
}

/** Returns the steps of `remote_field`. */
export function readPath(remoteField: unknown): readonly PathStep[] | Unreadable {
  const steps: PathStep[] = [];
  for (let level = remoteField; level !== undefined; ) {
    if (!isJsonObject(level)) return new Unreadable('Each level of "remote_field" must be an object.');
    const entries = Object.entries(level);
    const [entry] = entries;
    if (entry === undefined && steps.length === 0) return [];
    if (entries.length !== 1 || entry === undefined)
      return new Unreadable('Each level of "remote_field" must have one field.');
    const [field, call] = entry;
    if (!isJsonObject(call)) return new Unreadable(`The field "${field}" must be an object with "arguments".`);
    const { arguments: given = {}, field: inner, ...others } = call;
    const [other] = Object.keys(others);
    if (other !== undefined) return new Unreadable(`The field "${field}" has the member "${other}".`);
    if (!isJsonObject(given)) return new Unreadable(`The arguments of "${field}" must be an object.`);
    steps.push({ field, arguments: given });
    level = inner;
  }
  return steps;
}

/** Returns `remote_field`. */
export function writePath(steps: readonly PathStep[]): JsonObject {
  const [first, ...rest] = steps;
  if (first === undefined) return {};
  const call = { arguments: first.arguments, ...(rest.length > 0 && { field: writePath(rest) }) };
  return { [first.field]: call };
}

/** Returns the keys that values name, in the order of their first use. */
export function keysIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.startsWith('$') ? [value.slice(1)] : [];
  if (Array.isArray(value)) return unique(value.flatMap(keysIn));
  return isJsonObject(value) ? unique(Object.values(value).flatMap(keysIn)) : [];
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

/** Prints the steps as a query. */
export function graphqlText(steps: readonly PathStep[]): string {
  return `{\n${selectionText(steps, 1)}}\n`;
}

function selectionText([first, ...rest]: readonly PathStep[], depth: number): string {
  if (first === undefined) return '';
  const indent = '  '.repeat(depth);
  const call = `${indent}${first.field}${argumentsText(first.arguments)}`;
  return rest.length === 0 ? `${call}\n` : `${call} {\n${selectionText(rest, depth + 1)}${indent}}\n`;
}

function argumentsText(given: JsonObject): string {
  const parts = Object.entries(given).map(([name, value]) => `${name}: ${valueText(value)}`);
  return parts.length === 0 ? '' : `(${parts.join(', ')})`;
}

function valueText(value: unknown): string {
  if (typeof value === 'string' && /^\$[_A-Za-z][_0-9A-Za-z]*$/.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, member]) => `${name}: ${valueText(member)}`);
  return `{${parts.join(', ')}}`;
}

/** Returns the steps of a query with one field for each level. Variables become keys. */
export function readGraphql(text: string): readonly PathStep[] | Unreadable {
  try {
    const { definitions } = parse(text, { noLocation: true });
    const [operation] = definitions;
    if (definitions.length !== 1 || operation?.kind !== Kind.OPERATION_DEFINITION) {
      return new Unreadable('Write one query.');
    }
    if (operation.operation !== OperationTypeNode.QUERY) return new Unreadable('A relationship leads to a query.');
    return stepsOf(operation.selectionSet);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return new Unreadable(sentence(error.message));
  }
}

function stepsOf(selected: SelectionSetNode): readonly PathStep[] | Unreadable {
  const [field, ...others] = selected.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0) return new Unreadable('Select one field at each level.');
  if (field.alias !== undefined) return new Unreadable(`The field "${field.name.value}" cannot have an alias.`);
  if (field.directives?.length) return new Unreadable(`The field "${field.name.value}" cannot have directives.`);
  const step = { field: field.name.value, arguments: argumentsOf(field) };
  if (field.selectionSet === undefined) return [step];
  const rest = stepsOf(field.selectionSet);
  return rest instanceof Unreadable ? rest : [step, ...rest];
}

function argumentsOf({ arguments: given = [] }: FieldNode): JsonObject {
  return Object.fromEntries(given.map(({ name, value }) => [name.value, jsonOf(value)]));
}

function jsonOf(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return `$${node.name.value}`;
    case Kind.INT:
    case Kind.FLOAT:
      return parseExactly(node.value);
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map(jsonOf);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, jsonOf(value)]));
    default:
      return node.value;
  }
}
