/** The stages of resolve for native queries, whose rows are those of tables, and for their relationships. */
import type { NativeQuery, NativeQueryRelationship } from '@joinery/metadata/native-queries/schema';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import type { Catalog } from '../../postgres/catalog/catalog-types.ts';
import {
  keyOf,
  type RelationshipKind,
  type WrittenSource,
  whyNoTable,
  writtenSources,
} from '../inconsistencies/metadata-entries.ts';
import { takenNames } from '../names/taken-names.ts';
import { mapColumns } from '../tables/relationships.ts';
import type { Draft, DraftSource, DraftTable } from '../types/draft.ts';
import type { NativeArgument, NativeSql, Relationship } from '../types/table.ts';
import { type DraftModel, reportModel, resolveModel, writtenModels } from './logical-models.ts';
import { lineOf, probeOf } from './probe.ts';
import { scalarNamed } from './scalar-types.ts';
import { parseCode } from './template.ts';

interface WrittenQuery {
  readonly source: WrittenSource['source']['name'];
  readonly entry: NativeQuery;
  /** `$.sources[0].native_queries[1]`. */
  readonly path: string;
}

function writtenQueries({ source, path }: WrittenSource): readonly WrittenQuery[] {
  return (source.native_queries ?? []).map((entry, index) => ({
    source: source.name,
    entry,
    path: `${path}.native_queries[${index}]`,
  }));
}

/** Fills `logicalModels` and `nativeQueries` of every source, without permissions and relationships. */
export function* resolveNativeQueries(draft: Draft): Steps<void> {
  const written = writtenSources(draft);
  if (written.every(({ source }) => !source.native_queries && !source.logical_models)) return;
  const taken = takenNames(draft);
  const names = new Map<string, string>();
  for (const one of written) {
    const source = draft.sources.get(one.source.name);
    const catalog = draft.input.catalogs.get(one.source.name);
    const usable = source !== undefined && catalog !== undefined && !(catalog instanceof ServiceError);
    for (const model of writtenModels(one)) {
      yield;
      if (!usable) {
        reportModel(draft, model, `source "${model.source}" was dropped; fix it first`);
        continue;
      }
      const made = resolveModel(source, model.entry, catalog);
      const owner = taken.type(model.entry.name) ?? names.get(model.entry.name);
      if (typeof made === 'string') reportModel(draft, model, made);
      else if (owner !== undefined) reportModel(draft, model, `the type name is taken by ${owner}; rename the model`);
      else {
        source.logicalModels.set(model.entry.name, made);
        const self = `logical model "${model.entry.name}" of source "${model.source}"`;
        for (const type of Object.values(made.table.typeNames ?? {})) names.set(type, self);
      }
    }
    for (const query of writtenQueries(one)) {
      yield;
      if (!usable) {
        report(draft, query, 'invalid-configuration', `source "${query.source}" was dropped; fix it first`);
        continue;
      }
      const made = resolveQuery(source, query.entry, catalog);
      if (typeof made === 'string') {
        report(draft, query, 'validation-failed', made);
        continue;
      }
      const clash = whyTaken(made, query.entry, source, taken, names);
      if (clash !== undefined) report(draft, query, 'already-exists', clash);
      else source.nativeQueries.set(query.entry.root_field_name, made);
    }
  }
}

type NativeTable = DraftTable & { readonly native: NativeSql };

/** Registers the names of the query; returns why they are taken. */
function whyTaken(
  table: NativeTable,
  query: NativeQuery,
  { namespace }: DraftSource,
  taken: ReturnType<typeof takenNames>,
  names: Map<string, string>,
): string | undefined {
  const root = table.roots.select;
  // A space cannot be part of a name.
  const field = `${namespace?.name ?? ''} ${root}`;
  const byField = taken.queryField(namespace === undefined ? root : field) ?? names.get(field);
  if (byField !== undefined) return `the root field "${root}" is taken by ${byField}; rename the native query`;
  const types = [table.native.argumentsType, ...(relationshipsOf(query).length > 0 ? [root] : [])];
  for (const type of types) {
    const byType = taken.type(type) ?? names.get(type);
    if (byType !== undefined) return `the type name "${type}" is taken by ${byType}; rename the native query`;
  }
  const self = `native query "${root}" of source "${table.source}"`;
  for (const name of [field, ...types]) names.set(name, self);
  return undefined;
}

/** The relationships of the query. If it has any, its rows have a type of their own, with the name of the root field. */
function relationshipsOf(query: NativeQuery): readonly NativeQueryRelationship[] {
  return [...(query.object_relationships ?? []), ...(query.array_relationships ?? [])];
}

/** The rows of the query as a table, or why it is invalid. */
function resolveQuery(source: DraftSource, query: NativeQuery, catalog: Catalog): NativeTable | string {
  const model = source.logicalModels.get(query.returns);
  if (model === undefined) return `Logical model "${query.returns}" does not exist in the source, or was dropped`;
  const native = nativeSql(query, catalog);
  if (typeof native === 'string') return native;
  const relationships = relationshipsOf(query);
  const open = model.nested.find((field) => relationships.every(({ name }) => name !== field));
  if (open !== undefined) {
    return `the field "${open}" of logical model "${query.returns}" needs a relationship "${open}" of the native query`;
  }
  const invalid = whyInvalid(query, model, catalog);
  if (invalid !== undefined) return `Failed to validate query: ${invalid}`;
  const root = query.root_field_name;
  const { table } = model;
  return {
    ...table,
    name: root,
    roots: { ...table.roots, select: root },
    comment: table.comment,
    native: { ...native, description: query.description ?? undefined },
    relationships: new Map(),
    ...(relationships.length > 0 && { graphqlName: root, typeNames: { ...table.typeNames, '': root } }),
  };
}

function nativeSql(query: NativeQuery, catalog: Catalog): Omit<NativeSql, 'description'> | string {
  const parts = parseCode(query.code);
  if (typeof parts === 'string') return parts;
  const declared = new Map<string, NativeArgument>();
  for (const [name, { type: written, nullable, description }] of Object.entries(query.arguments ?? {})) {
    const type = scalarNamed(written, catalog);
    if (typeof type === 'string') return `in argument "${name}": ${type}`;
    declared.set(name, { name, type, nullable: nullable ?? false, description: description ?? undefined });
  }
  const used = new Set<string>();
  const resolved: NativeSql['parts'][number][] = [];
  for (const part of parts) {
    if (typeof part === 'string') {
      resolved.push(part);
      continue;
    }
    const argument = declared.get(part.argument);
    if (argument === undefined) {
      return `the SQL uses an undeclared argument "${part.argument}"; declare it in arguments`;
    }
    used.add(part.argument);
    resolved.push(argument);
  }
  const unused = [...declared.keys()].find((name) => !used.has(name));
  if (unused !== undefined) return `the argument "${unused}" is not used in the SQL; remove it`;
  return { parts: resolved, arguments: [...declared.values()], argumentsType: `${query.root_field_name}_arguments` };
}

/** Compares the columns that PostgreSQL described with the logical model. */
function whyInvalid(query: NativeQuery, { table }: DraftModel, catalog: Catalog): string | undefined {
  const probe = probeOf(query, catalog) ?? '';
  const shape = catalog.queries?.get(probe);
  if (shape === undefined || shape.kind === 'unchecked') return undefined;
  if (shape.kind === 'error') {
    const line = shape.position === undefined ? '' : `line ${lineOf(probe, shape.position)}: `;
    return `${line}${shape.message}`;
  }
  for (const { name, type } of table.columns.values()) {
    const found = shape.columns.filter((column) => column.name === name);
    const [first] = found;
    if (first === undefined)
      return `the query does not return the column "${name}" of logical model "${query.returns}"`;
    if (found.length > 1) return `the query returns several columns "${name}"`;
    if (first.type === type.name) continue;
    return `the column "${name}" has the type ${first.type}, and in logical model "${query.returns}" the type ${type.name}`;
  }
  return undefined;
}

function report(draft: Draft, { source, entry, path }: WrittenQuery, code: ErrorCode, reason: string): void {
  draft.report({
    type: 'native_query',
    name: `native_query ${entry.root_field_name} in source ${source}`,
    path,
    code,
    reason: `in native query "${entry.root_field_name}": ${reason}`,
    definition: entry,
  });
  const cause = `native query "${entry.root_field_name}" was dropped: ${reason}`;
  for (const kind of ['object', 'array'] as const) {
    for (const [index, one] of (entry[`${kind}_relationships`] ?? []).entries()) {
      reportRelationship(draft, { source, entry, path }, kind, index, one, cause);
    }
  }
}

function reportRelationship(
  draft: Draft,
  { source, entry, path }: WrittenQuery,
  kind: RelationshipKind,
  index: number,
  { name, using, comment }: NativeQueryRelationship,
  reason: string,
): void {
  const query = entry.root_field_name;
  draft.report({
    type: `${kind}_relation`,
    name: `${kind}_relation ${name} in native_query ${query} in source ${source}`,
    path: `${path}.${kind}_relationships[${index}]`,
    code: 'invalid-configuration',
    reason: `in native query "${query}": in relationship "${name}": ${reason}`,
    definition: { name, using, comment: comment ?? null, source, native_query: query },
  });
}

/** Fills `relationships` of every native query. */
export function* resolveNativeRelationships(draft: Draft): Steps<void> {
  for (const written of writtenSources(draft).flatMap(writtenQueries)) {
    const table = draft.sources.get(written.source)?.nativeQueries.get(written.entry.root_field_name);
    if (table === undefined) continue;
    for (const kind of ['object', 'array'] as const) {
      for (const [index, one] of (written.entry[`${kind}_relationships`] ?? []).entries()) {
        yield;
        const found = resolveRelationship(draft, table, kind, one);
        if (typeof found === 'string') reportRelationship(draft, written, kind, index, one, found);
        else table.relationships.set(one.name, found);
      }
    }
  }
}

function resolveRelationship(
  draft: Draft,
  table: DraftTable,
  kind: RelationshipKind,
  { name, using, comment }: NativeQueryRelationship,
): Relationship | string {
  if (table.columns.has(name)) return `the logical model has a field "${name}"; choose another name`;
  if (table.relationships.has(name)) return `the native query has a relationship "${name}"; choose another name`;
  const source = draft.sources.get(table.source);
  const target =
    'remote_table' in using
      ? source?.tables.get(keyOf(using.remote_table))
      : source?.nativeQueries.get(using.remote_native_query);
  if (target === undefined) {
    return 'remote_table' in using
      ? whyNoTable(draft, table.source, using.remote_table)
      : `native query "${using.remote_native_query}" does not exist in the source, or was dropped`;
  }
  const mapping = mapColumns(table, using.column_mapping, target);
  if (typeof mapping === 'string') return mapping;
  return { kind, name, target, mapping, nullable: true, comment: comment ?? undefined };
}
