/** Parses the arguments of a relationship against the declared types. */
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { ExactNumber } from '../../base/json-value.ts';
import { writtenAsText } from '../predicate/key-types.ts';
import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { JoinKey, RemoteTemplate } from '../types/table.ts';

/** The state of parsing the arguments of one relationship. */
export interface ArgumentScope<Key extends JoinKey = JoinKey> {
  /** The noun for keys in messages. */
  readonly noun: 'column' | 'field';
  /** The keys that `$name` may refer to. */
  readonly columns: ReadonlyMap<string, Key>;
  /** The referenced keys in order of first use; templates refer to them by index. */
  readonly keys: Key[];
  /** A message for each error. */
  readonly problems: string[];
}

/**
 * Parses the arguments of one field. `where` names the field in messages. If `open`, the client must give required
 * arguments that are missing; otherwise they are errors.
 */
export function readArguments(
  written: Readonly<Record<string, unknown>>,
  declared: readonly Pick<GraphQLArgument, 'name' | 'type' | 'defaultValue'>[],
  where: string,
  open: boolean,
  scope: ArgumentScope,
): Readonly<Record<string, RemoteTemplate>> {
  const templates: [string, RemoteTemplate][] = [];
  for (const [name, value] of Object.entries(written)) {
    const argument = declared.find((one) => one.name === name);
    if (argument === undefined) {
      scope.problems.push(`${where} has no argument "${name}"${choice(declared.map((one) => one.name))}`);
      continue;
    }
    const template = read(value, argument.type, { scope, open, where: `argument "${name}" of ${where}` });
    if (template !== undefined) templates.push([name, template]);
  }
  for (const argument of declared) {
    if (open || !isRequired(argument) || Object.hasOwn(written, argument.name)) continue;
    scope.problems.push(`${where} needs the argument "${argument.name}" of type ${argument.type}`);
  }
  return Object.fromEntries(templates);
}

function isRequired({ type, defaultValue }: Pick<GraphQLArgument, 'type' | 'defaultValue'>): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

interface Position {
  readonly scope: ArgumentScope;
  readonly open: boolean;
  readonly where: string;
}

function read(value: unknown, type: GraphQLInputType, position: Position): RemoteTemplate | undefined {
  const { scope, where } = position;
  const invalid = (reason: string): undefined => {
    scope.problems.push(`${where}: ${reason}`);
  };
  if (typeof value === 'string' && value.startsWith('$')) return readKey(value.slice(1), type, position);
  if (value === null) return invalid('null cannot be written here; leave the argument out');
  if (value instanceof ExactNumber) return invalid(`the number ${value.text} would lose digits; write it as a string`);
  if (Array.isArray(value)) return readList(value, type, position);
  if (typeof value === 'object') return readObject(value as Readonly<Record<string, unknown>>, type, position);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return invalid('it must be a string, a number, true, false, a list or an object');
  }
  if (!constantFits(value, type)) return invalid(`${JSON.stringify(value)} is not a value of type ${type}`);
  return { kind: 'constant', value };
}

function readKey(name: string, type: GraphQLInputType, { scope, where }: Position): RemoteTemplate | undefined {
  const column = scope.columns.get(name);
  if (column === undefined) {
    scope.problems.push(
      `${where}: "$${name}" is not a ${scope.noun} that the relationship lists${choice(scope.columns.keys())}`,
    );
    return undefined;
  }
  const columnType = column.type.element === undefined ? column.type.name : `${column.type.element.name}[]`;
  if (!columnFits(column.type, type)) {
    scope.problems.push(`${where}: ${scope.noun} "${name}" has type ${columnType}, which does not fit type ${type}`);
    return undefined;
  }
  const known = scope.keys.indexOf(column);
  return { kind: 'key', index: known >= 0 ? known : scope.keys.push(column) - 1 };
}

function readList(items: readonly unknown[], type: GraphQLInputType, position: Position): RemoteTemplate | undefined {
  const nullable = getNullableType(type);
  if (!isListType(nullable) && !isFree(nullable)) {
    position.scope.problems.push(`${position.where}: a list is not a value of type ${type}`);
    return undefined;
  }
  const itemType = isListType(nullable) ? nullable.ofType : nullable;
  const templates = items.map((item) => read(item, itemType, position));
  return { kind: 'list', items: templates.filter((template) => template !== undefined) };
}

function readObject(
  members: Readonly<Record<string, unknown>>,
  type: GraphQLInputType,
  position: Position,
): RemoteTemplate | undefined {
  const nullable = getNullableType(type);
  const { scope, where, open } = position;
  // GraphQL accepts a single value for a list.
  if (isListType(nullable)) return readObject(members, nullable.ofType, position);
  if (!isInputObjectType(nullable) && !isFree(nullable)) {
    scope.problems.push(`${where}: an object is not a value of type ${type}`);
    return undefined;
  }
  const declared = isInputObjectType(nullable) ? nullable.getFields() : undefined;
  const fields: [string, RemoteTemplate][] = [];
  for (const [name, value] of Object.entries(members)) {
    const memberType = declared === undefined ? nullable : declared[name]?.type;
    if (memberType === undefined || !/^[_A-Za-z][_0-9A-Za-z]*$/.test(name)) {
      scope.problems.push(`${where}: type ${nullable} has no field "${name}"${choice(Object.keys(declared ?? {}))}`);
      continue;
    }
    const template = read(value, memberType, { ...position, where: `field "${name}" in ${where}` });
    if (template !== undefined) fields.push([name, template]);
  }
  for (const field of Object.values(declared ?? {})) {
    if (open || !isRequiredInputField(field) || Object.hasOwn(members, field.name)) continue;
    scope.problems.push(`${where}: the field "${field.name}" of type ${field.type} is required`);
  }
  return { kind: 'object', fields: Object.fromEntries(fields) };
}

/** Whether the type is a custom scalar, whose values the service cannot check. */
function isFree(type: GraphQLInputType): boolean {
  const named = getNullableType(type);
  return !isListType(named) && !isInputObjectType(named) && !isEnumType(named) && !constants.has(named.name);
}

const constants: ReadonlyMap<string, (value: string | number | boolean) => boolean> = new Map([
  ['Int', (value) => typeof value === 'number' && (value | 0) === value],
  ['Float', (value) => typeof value === 'number'],
  ['String', (value) => typeof value === 'string'],
  ['Boolean', (value) => typeof value === 'boolean'],
  ['ID', (value) => typeof value === 'string' || Number.isSafeInteger(value)],
]);

function constantFits(value: string | number | boolean, type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return constantFits(value, nullable.ofType);
  if (isInputObjectType(nullable)) return false;
  if (isEnumType(nullable)) return typeof value === 'string' && nullable.getValue(value) !== undefined;
  return constants.get(nullable.name)?.(value) ?? true;
}

/** Families whose values can be a String or an ID. */
const textual: ReadonlySet<TypeFamily> = new Set([...writtenAsText, 'number']);

const fractional: ReadonlySet<string> = new Set(['float4', 'float8']);

/**
 * False if no value of the column is a value of `type`. Errors that depend on the value occur when it is sent: json may
 * be any value, numeric may be an integer, text may be a value of an enum.
 */
function columnFits(column: ColumnType, type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  if (column.family === 'json' || column.family === 'jsonb') return true;
  if (isListType(nullable)) return columnFits(column.element ?? column, nullable.ofType);
  if (isInputObjectType(nullable)) return column.family === 'composite';
  if (isEnumType(nullable)) {
    if (column.family !== 'enum') return column.family === 'text' || column.family === 'citext';
    return column.labels.some((label) => nullable.getValue(label) !== undefined);
  }
  switch (nullable.name) {
    case 'Int':
      return column.family === 'number' && !fractional.has(column.name);
    case 'Float':
      return column.family === 'number';
    case 'Boolean':
      return column.family === 'boolean';
    case 'ID':
      return textual.has(column.family) && !fractional.has(column.name);
    case 'String':
      return textual.has(column.family);
    default:
      return true;
  }
}

/** Text such as `; use one of "a", "b"`, with at most ten names; empty if there are none. */
export function choice(names: Iterable<string>): string {
  const all = [...names].map((name) => `"${name}"`);
  if (all.length === 0) return '';
  return `; use one of ${all.length > 10 ? `${all.slice(0, 10).join(', ')} ...` : all.join(', ')}`;
}
