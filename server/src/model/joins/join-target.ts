/** Resolves the target of a relationship of any owner: a table, function, remote schema or action. */

import type { FieldName, QualifiedTable } from '@joinery/metadata/names';
import type {
  JoinDefinition,
  RemoteField,
  ToAction,
  ToFunction,
  ToRemoteSchema,
  ToTable,
} from '@joinery/metadata/schema/relationships';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import { argumentTypes } from '../actions/arguments.ts';
import { type ArgumentScope, choice, readArguments } from '../remote/arguments.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft } from '../types/draft.ts';
import type { Column, Join, JoinKey, RemoteStep } from '../types/table.ts';

/** The owner of a join, which supplies the keys. */
export interface JoinOwner<Key extends JoinKey> {
  /** The noun for its keys in messages. */
  readonly noun: 'column' | 'field';
  /** The keys by their names in definitions. */
  readonly keys: ReadonlyMap<string, Key>;
  /** The message for an unknown key. */
  missing(name: string): string;
  /** Why values of the key, or items of a list, cannot be compared with `other`; undefined if they can. */
  mismatch(key: Key, other: Compared): string | undefined;
}

/** The column that a key is compared with, or the argument that it is passed as. */
export interface Compared {
  readonly what: 'column' | 'argument';
  readonly name: string;
  readonly type: ColumnType;
}

/** The join, or undefined if it cannot be built. It is valid only if `problems`, with a message for each error, is empty. */
export function resolveJoin<Key extends JoinKey>(
  draft: Draft,
  name: FieldName,
  definition: JoinDefinition,
  owner: JoinOwner<Key>,
  problems: string[],
): Join<Key> | undefined {
  const start = { draft, name, owner, problems };
  if ('to_remote_schema' in definition) return toRemoteSchema(start, definition.to_remote_schema);
  if ('to_action' in definition) return toAction(start, definition.to_action);
  const { to_source } = definition;
  return 'table' in to_source ? toTable(start, to_source) : toFunction(start, to_source);
}

/** Whether the relationship has a field `<name>_aggregate`. */
export function hasAggregate({ target }: Join): boolean {
  return (target.kind === 'table' || target.kind === 'function') && target.shape === 'array';
}

/** The fields of a relationship. One to a list of rows has a field for its aggregate as well. */
export function fieldNames(name: string, isList: boolean): readonly string[] {
  return isList ? [name, `${name}_aggregate`] : [name];
}

interface Start<Key extends JoinKey> {
  readonly draft: Draft;
  readonly name: FieldName;
  readonly owner: JoinOwner<Key>;
  readonly problems: string[];
}

function toRemoteSchema<Key extends JoinKey>(
  { draft, name, owner, problems }: Start<Key>,
  { remote_schema, lhs_fields, remote_field }: ToRemoteSchema,
): Join<Key> | undefined {
  const columns = new Map<string, Key>();
  for (const field of lhs_fields) {
    const key = owner.keys.get(field);
    if (key === undefined) problems.push(owner.missing(field));
    else columns.set(field, key);
  }
  const remote = [...draft.remoteSchemas.values()].find((one) => one.name === remote_schema);
  if (remote === undefined) {
    const known = draft.input.metadata.remote_schemas?.some((one) => one.name === remote_schema);
    problems.push(`remote schema "${remote_schema}" ${adviceFor(known)}`);
    return undefined;
  }
  const scope: ArgumentScope<Key> = { noun: owner.noun, columns, keys: [], problems };
  const path = readPath(remote.upstream, remote_field, scope);
  return { name, keys: scope.keys, target: { kind: 'remote', remote, path } };
}

function adviceFor(known: boolean | undefined): string {
  return known === true ? 'was dropped or could not be read; fix it first' : 'does not exist; add it first';
}

function toAction<Key extends JoinKey>(
  { draft, name, owner, problems }: Start<Key>,
  { action: wanted, arguments: written, batch }: ToAction,
): Join<Key> | undefined {
  const action = draft.actions.get(wanted);
  if (action === undefined) {
    const known = draft.input.metadata.actions?.some((one) => one.name === wanted);
    problems.push(`action "${wanted}" ${adviceFor(known)}`);
    return undefined;
  }
  if (action.type !== 'query')
    problems.push(`action "${wanted}" is a mutation; the target of a relationship is a query`);
  const scope: ArgumentScope<Key> = { noun: owner.noun, columns: owner.keys, keys: [], problems };
  const supplied = readArguments(written, argumentTypes(action), `the action "${wanted}"`, true, scope);
  return {
    name,
    keys: scope.keys,
    target: { kind: 'action', action, arguments: supplied, batch: batch?.max_size },
  };
}

function toTable<Key extends JoinKey>(
  { draft, name, owner, problems }: Start<Key>,
  { source, table: written, relationship_type: shape, field_mapping }: ToTable,
): Join<Key> | undefined {
  const table = draft.sources.get(source)?.tables.get(relationKey(written.schema, written.name));
  if (table === undefined) {
    problems.push(whyNot(draft, source, `table "${qualified(written)}"`));
    return undefined;
  }
  const keys: Key[] = [];
  const match: Column[] = [];
  for (const [from, to] of Object.entries(field_mapping)) {
    const key = owner.keys.get(from);
    const column = table.columnsByName.get(to);
    if (key === undefined) problems.push(`field_mapping: ${owner.missing(from)}`);
    if (column === undefined) {
      const others = choice(table.columnsByName.keys());
      problems.push(`field_mapping: table ${qualified(table)} has no column "${to}"${others}`);
    }
    if (key === undefined || column === undefined) continue;
    const problem = owner.mismatch(key, { what: 'column', name: to, type: column.type });
    if (problem !== undefined) problems.push(`field_mapping: ${problem}`);
    keys.push(key);
    match.push(column);
  }
  problems.push(...mappingProblems(keys, field_mapping, 'column'));
  return { name, keys, target: { kind: 'table', shape, table, match } };
}

function toFunction<Key extends JoinKey>(
  { draft, name, owner, problems }: Start<Key>,
  { source, function: written, relationship_type: shape, field_mapping }: ToFunction,
): Join<Key> | undefined {
  const found = draft.sources.get(source)?.functions.get(relationKey(written.schema, written.name));
  if (found === undefined) {
    problems.push(whyNot(draft, source, `function "${qualified(written)}"`));
    return undefined;
  }
  const taken = found.routine.arguments.filter(({ from }) => from === 'caller');
  const keys: Key[] = [];
  const passed: string[] = [];
  for (const [from, to] of Object.entries(field_mapping)) {
    const key = owner.keys.get(from);
    const argument = taken.find(({ field }) => field === to);
    if (key === undefined) problems.push(`field_mapping: ${owner.missing(from)}`);
    if (argument === undefined) {
      const others = choice(taken.map(({ field }) => field));
      problems.push(`field_mapping: function ${qualified(written)} has no argument "${to}"${others}`);
    }
    if (key === undefined || argument === undefined) continue;
    const whole = key.list === true && argument.type.element !== undefined ? argument.type.element : argument.type;
    const problem = owner.mismatch(key, { what: 'argument', name: to, type: whole });
    if (problem !== undefined) problems.push(`field_mapping: ${problem}`);
    if (key.list === true && argument.type.element === undefined) {
      problems.push(`field_mapping: "${from}" is a list, and argument "${to}" takes a single value`);
    }
    keys.push(key);
    passed.push(to);
  }
  for (const { field, hasDefault } of taken) {
    if (hasDefault || passed.includes(field)) continue;
    problems.push(`field_mapping: the function needs its argument "${field}"; map a ${owner.noun} to it`);
  }
  if (found.exposedAs === 'mutation')
    problems.push('the function is a mutation; the target of a relationship is a query');
  if (!found.returnsSet && shape === 'array') problems.push('the function returns one row; write the type "object"');
  return { name, keys, target: { kind: 'function', shape, function: found, passed } };
}

/** The errors of the mapping. At most one part of a key can be a list. */
function mappingProblems(
  keys: readonly JoinKey[],
  mapping: Readonly<Record<string, string>>,
  what: Compared['what'],
): string[] {
  if (Object.keys(mapping).length === 0) return [`field_mapping must map at least one ${what}`];
  const lists = keys.filter(({ list }) => list === true).map(({ name }) => `"${name}"`);
  return lists.length < 2 ? [] : [`field_mapping: only one field may be a list, and ${lists.join(' and ')} are lists`];
}

function whyNot(draft: Draft, source: string, what: string): string {
  const known = draft.input.metadata.sources.some((one) => one.name === source);
  if (!known && ![...draft.sources.keys()].some((one) => one === source)) {
    return `source "${source}" does not exist; name a source of the metadata`;
  }
  return `${what} is not tracked in source "${source}", or was dropped; track or fix it first`;
}

export function qualified({ schema, name }: QualifiedTable): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

/** Parses the path of fields from the query root. Stops at the first unknown field. */
function readPath<Key extends JoinKey>(
  upstream: GraphQLSchema,
  first: RemoteField,
  scope: ArgumentScope<Key>,
): readonly RemoteStep[] {
  const steps: RemoteStep[] = [];
  let parent: GraphQLNamedType | null | undefined = upstream.getQueryType();
  let level: RemoteField | undefined = first;
  while (level !== undefined) {
    const [entry]: [string, RemoteField[string]][] = Object.entries(level);
    if (entry === undefined) break;
    const [name, { arguments: written, field: next }]: [string, RemoteField[string]] = entry;
    const fields: Readonly<Record<string, GraphQLField<unknown, unknown>>> =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {};
    const field = fields[name];
    if (field === undefined) {
      scope.problems.push(
        `type ${parent?.name} of the remote schema has no field "${name}"${choice(Object.keys(fields))}`,
      );
      break;
    }
    if (next !== undefined) checkInner(field, scope.problems);
    const where = `the remote field "${name}"`;
    steps.push({ field: name, arguments: readArguments(written, field.args, where, next === undefined, scope) });
    parent = getNamedType(field.type);
    level = next;
  }
  return steps;
}

/** Only the last field may be a list, because each key has one value. */
function checkInner(field: GraphQLField<unknown, unknown>, problems: string[]): void {
  if (isListType(getNullableType(field.type))) {
    problems.push(`the remote field "${field.name}" is a list, and only the last field may be one`);
  } else if (isLeafType(getNamedType(field.type))) {
    problems.push(`the remote field "${field.name}" has type ${field.type}, which has no fields`);
  }
}
