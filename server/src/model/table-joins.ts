/** The stage of resolve for relationships from a table to a remote schema or to a table of any source. */
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { RemoteField, RemoteRelationship } from '@joinery/metadata/remotes';
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
import { relationKey } from '../postgres/catalog-types.ts';
import type { Draft, DraftTable } from './draft.ts';
import { computedColumn } from './predicate-context.ts';
import { type ArgumentScope, choice, readArguments } from './remote-arguments.ts';
import type { Column, ColumnType, RemoteStep, TableJoin, TypeFamily } from './table-model.ts';

/** Fills `joins` of every table. A relationship that cannot be used is dropped alone and reported. */
export function resolveTableJoins(draft: Draft): void {
  for (const [sourceIndex, source] of draft.input.metadata.sources.entries()) {
    for (const [tableIndex, entry] of source.tables.entries()) {
      const table = draft.sources.get(source.name)?.tables.get(relationKey(entry.table.schema, entry.table.name));
      for (const [index, written] of (entry.remote_relationships ?? []).entries()) {
        const problems: string[] = [];
        const join = table === undefined ? undefined : resolveJoin(draft, table, written, problems);
        if (join !== undefined && problems.length === 0) {
          table?.joins.set(join.name, join);
          continue;
        }
        const owner = `table ${qualified(entry.table)} in source ${source.name}`;
        if (table === undefined) problems.push(`${owner} was dropped or could not be read; mend it first`);
        draft.report({
          type: 'remote_relationship',
          name: `remote_relationship ${written.name} in ${owner}`,
          path: `$.sources[${sourceIndex}].tables[${tableIndex}].remote_relationships[${index}]`,
          code: 'invalid-configuration',
          reason: `remote relationship "${written.name}": ${problems.join('; ')}`,
          definition: written,
        });
      }
    }
  }
}

/** The relationship, or undefined with at least one of `problems`. */
function resolveJoin(
  draft: Draft,
  table: DraftTable,
  written: RemoteRelationship,
  problems: string[],
): TableJoin | undefined {
  const destination = destinationOf(written);
  const array = destination.kind === 'source' && destination.relationship_type === 'array';
  for (const name of array ? [written.name, `${written.name}_aggregate`] : [written.name]) {
    const owner = ownerOf(table, name);
    if (owner !== undefined) problems.push(`the table has ${owner} "${name}" already; choose another name`);
  }
  return destination.kind === 'source'
    ? toTable(draft, table, written, destination, problems)
    : toRemoteSchema(draft, table, written, destination, problems);
}

interface ToRemoteSchema {
  readonly kind: 'remote';
  readonly remote_schema: string;
  readonly lhs_fields: readonly string[];
  readonly remote_field: RemoteField;
}

interface ToSource {
  readonly kind: 'source';
  readonly source: SourceName;
  readonly table: QualifiedTable;
  readonly relationship_type: 'object' | 'array';
  readonly field_mapping: Readonly<Record<string, string>>;
}

/** The older written forms name the columns `hasura_fields`. */
function destinationOf(written: RemoteRelationship): ToRemoteSchema | ToSource {
  const definition = 'definition' in written ? written.definition : written;
  if ('to_source' in definition) return { kind: 'source', ...definition.to_source };
  if ('to_remote_schema' in definition) return { kind: 'remote', ...definition.to_remote_schema };
  const { remote_schema, hasura_fields, remote_field } = definition;
  return { kind: 'remote', remote_schema, lhs_fields: hasura_fields, remote_field };
}

/** What already has the field `name` in the rows of `table`. */
function ownerOf(table: DraftTable, name: string): string | undefined {
  if (table.columns.has(name)) return 'a column';
  const base = name.endsWith('_aggregate') ? name.slice(0, -'_aggregate'.length) : undefined;
  if (table.relationships.has(name)) return 'a relationship';
  if (table.computedFields.has(name)) return 'a computed field';
  if (table.joins.has(name)) return 'a remote relationship';
  if (base === undefined) return undefined;
  if (table.relationships.get(base)?.kind === 'array') return 'the aggregate of a relationship';
  const join = table.joins.get(base)?.target;
  return join?.kind === 'table' && join.shape === 'array' ? 'the aggregate of a remote relationship' : undefined;
}

function toRemoteSchema(
  draft: Draft,
  table: DraftTable,
  { name }: RemoteRelationship,
  { remote_schema, lhs_fields, remote_field }: ToRemoteSchema,
  problems: string[],
): TableJoin | undefined {
  const columns = new Map<string, Column>();
  for (const columnName of lhs_fields) {
    const column = keyColumn(table, columnName);
    if (column === undefined) problems.push(noColumn(table, columnName));
    else columns.set(columnName, column);
  }
  const remote = [...draft.remoteSchemas.values()].find((one) => one.name === remote_schema);
  if (remote === undefined) {
    const known = draft.input.metadata.remote_schemas?.some((one) => one.name === remote_schema);
    const advice = known === true ? 'was dropped or could not be read; mend it first' : 'is not there; add it first';
    problems.push(`remote schema "${remote_schema}" ${advice}`);
    return undefined;
  }
  const scope: ArgumentScope = { columns, keys: [], problems };
  const path = readPath(remote.upstream, remote_field, scope);
  return { name, keys: scope.keys, target: { kind: 'remote', remote, path } };
}

/** The fields from the query root down. Stops at the first that is not there. */
function readPath(upstream: GraphQLSchema, first: RemoteField, scope: ArgumentScope): readonly RemoteStep[] {
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
    if (next !== undefined) checkInner(field, scope);
    const where = `the remote field "${name}"`;
    steps.push({ field: name, arguments: readArguments(written, field.args, where, next === undefined, scope) });
    parent = getNamedType(field.type);
    level = next;
  }
  return steps;
}

/** One key leads to one value, so the way to it cannot fork. */
function checkInner(field: GraphQLField<unknown, unknown>, { problems }: ArgumentScope): void {
  if (isListType(getNullableType(field.type))) {
    problems.push(`the remote field "${field.name}" is a list, and only the last field may be one`);
  } else if (isLeafType(getNamedType(field.type))) {
    problems.push(`the remote field "${field.name}" has type ${field.type}, which has no fields`);
  }
}

function toTable(
  draft: Draft,
  table: DraftTable,
  { name }: RemoteRelationship,
  { source, table: written, relationship_type: shape, field_mapping }: ToSource,
  problems: string[],
): TableJoin | undefined {
  const target = draft.sources.get(source)?.tables.get(relationKey(written.schema, written.name));
  if (target === undefined) {
    const known = draft.input.metadata.sources.some((one) => one.name === source);
    problems.push(
      known
        ? `table ${qualified(written)} is not tracked in source "${source}", or was dropped; track or mend it first`
        : `source "${source}" is not there; name a source of the metadata`,
    );
    return undefined;
  }
  const pairs = Object.entries(field_mapping);
  if (pairs.length === 0) problems.push('field_mapping must map at least one column');
  const keys: Column[] = [];
  const match: Column[] = [];
  for (const [fromName, toName] of pairs) {
    const from = keyColumn(table, fromName);
    const to = target.columnsByName.get(toName);
    if (from === undefined) problems.push(`field_mapping: ${noColumn(table, fromName)}`);
    if (to === undefined) problems.push(`field_mapping: ${noColumn(target, toName)}`);
    if (from === undefined || to === undefined) continue;
    if (to.type.enumeration !== undefined) {
      problems.push(
        `field_mapping: column "${toName}" has the values of an enum table, and nothing can be joined to those`,
      );
    }
    keys.push(from);
    match.push(to);
    if (comparable(from.type, to.type)) continue;
    problems.push(
      `field_mapping: column "${fromName}" has type ${typeText(from)} and column "${toName}" has type ${typeText(to)}; the two cannot be compared`,
    );
  }
  return { name, keys, target: { kind: 'table', shape, table: target, match } };
}

/** A column, or a computed field that takes nothing but the row. */
function keyColumn(table: DraftTable, name: string): Column | undefined {
  return table.columnsByName.get(name) ?? computedColumn(table, name);
}

/** Families whose members compare with each other whatever their exact type is. */
const uniform: ReadonlySet<TypeFamily> = new Set(['boolean', 'number', 'text', 'citext', 'uuid', 'jsonb', 'bytes']);

function comparable(from: ColumnType, to: ColumnType): boolean {
  if (from.family === 'json' || from.name === 'xml') return false;
  if (from.element !== undefined && to.element !== undefined) return comparable(from.element, to.element);
  if (from.family !== to.family) return isText(from) && isText(to);
  if (from.family === 'time') return from.name === to.name || (isTimestamp(from) && isTimestamp(to));
  return uniform.has(from.family) || from.name === to.name;
}

function isText({ family }: ColumnType): boolean {
  return family === 'text' || family === 'citext';
}

function isTimestamp({ name }: ColumnType): boolean {
  return name === 'timestamp' || name === 'timestamptz';
}

function typeText({ type }: Column): string {
  return type.element === undefined ? type.name : `${type.element.name}[]`;
}

function noColumn(table: DraftTable, name: string): string {
  return `table ${qualified(table)} has no column "${name}"${choice(table.columnsByName.keys())}`;
}

function qualified({ schema, name }: QualifiedTable): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}
