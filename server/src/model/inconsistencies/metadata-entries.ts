/** Entries of sources, tables and functions with their paths in the metadata, and the reporting of their errors. */

import type { EventTrigger } from '@joinery/metadata/event-triggers/schema';
import { suggestedName } from '@joinery/metadata/graphql-names';
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { ComputedField, FunctionEntry } from '@joinery/metadata/schema/functions';
import type { SelectPermissionEntry, WritePermissionEntry } from '@joinery/metadata/schema/permissions';
import type { Relationship } from '@joinery/metadata/schema/relationships';
import type { Source } from '@joinery/metadata/schema/sources';
import type { TableEntry } from '@joinery/metadata/schema/tables';
import { type ErrorCode, ServiceError } from '../../base/errors.ts';
import { relationKey } from '../../postgres/catalog/catalog-types.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import { UNSUPPORTED } from '../types/inconsistency.ts';

export interface WrittenSource {
  readonly source: Source;
  /** The JSON path in the metadata: `$.sources[0]`. */
  readonly path: string;
}

export interface WrittenTable {
  readonly source: SourceName;
  readonly entry: TableEntry;
  /** `$.sources[0].tables[3]`. */
  readonly path: string;
}

export function writtenSources(draft: Draft): readonly WrittenSource[] {
  return draft.input.metadata.sources.map((source, index) => ({ source, path: `$.sources[${index}]` }));
}

export function writtenTables({ source, path }: WrittenSource): readonly WrittenTable[] {
  return source.tables.map((entry, index) => ({ source: source.name, entry, path: `${path}.tables[${index}]` }));
}

export interface WrittenFunction {
  readonly source: SourceName;
  readonly entry: FunctionEntry;
  /** `$.sources[0].functions[3]`. */
  readonly path: string;
}

export function writtenFunctions({ source, path }: WrittenSource): readonly WrittenFunction[] {
  return (source.functions ?? []).map((entry, index) => ({
    source: source.name,
    entry,
    path: `${path}.functions[${index}]`,
  }));
}

/** The tables of the draft with their entries. Only the first entry of a table counts. */
export function draftTables(draft: Draft): readonly { readonly written: WrittenTable; readonly table: DraftTable }[] {
  const seen = new Set<DraftTable>();
  return writtenSources(draft)
    .filter(({ source }) => (draft.sources.get(source.name)?.tables.size ?? 0) > 0)
    .flatMap(writtenTables)
    .flatMap((written) => {
      const table = draft.sources.get(written.source)?.tables.get(keyOf(written.entry.table));
      if (table === undefined || seen.has(table)) return [];
      seen.add(table);
      return [{ written, table }];
    });
}

export function keyOf({ schema, name }: QualifiedTable): string {
  return relationKey(schema, name);
}

/** `author`, `shop.author`. */
export function plainName({ schema, name }: QualifiedTable): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

/** Why the draft does not have the table, and how to fix it. */
export function whyNoTable({ input }: Draft, sourceName: SourceName, table: QualifiedTable): string {
  const source = input.metadata.sources.find(({ name }) => name === sourceName);
  if (source === undefined) return `source "${sourceName}" does not exist; name a source of the metadata`;
  const unread = whyNoCatalog(input.catalogs.get(sourceName));
  if (unread !== undefined) return `source "${sourceName}" could not be read: ${unread}`;
  const tracked = source.tables.some((entry) => keyOf(entry.table) === keyOf(table));
  return tracked
    ? `table "${plainName(table)}" is itself inconsistent; fix it first`
    : `table "${plainName(table)}" is not tracked in source "${sourceName}"; track it first`;
}

/** Why a source has no catalog; undefined if it has one. */
export function whyNoCatalog(catalog: object | undefined): string | undefined {
  if (catalog === undefined) return 'the service is not connected to it';
  return catalog instanceof ServiceError ? catalog.message : undefined;
}

/** `place` is the path of the error within the source: `.configuration`. */
export function reportSource(
  draft: Draft,
  { source, path }: WrittenSource,
  code: ErrorCode,
  reason: string,
  place: string,
): void {
  const { name } = source;
  draft.report({ type: 'source', name: `source ${name}`, path: path + place, code, reason, definition: name });
}

export function reportTable(
  draft: Draft,
  { source, entry, path }: WrittenTable,
  code: ErrorCode,
  reason: string,
  place = `table "${plainName(entry.table)}": `,
): void {
  const { schema, name } = entry.table;
  draft.report({
    type: 'table',
    name: `table ${plainName(entry.table)} in source ${source}`,
    path,
    code,
    reason: place + reason,
    definition: { schema, name },
  });
}

/** Reports a table that is tracked and in no schema. It is not dropped: row rules and event triggers may use it. */
export function reportHidden(draft: Draft, { source, entry, path }: WrittenTable, reason: string): void {
  const { schema, name } = entry.table;
  draft.report({
    type: 'table',
    name: `table ${plainName(entry.table)} in source ${source}`,
    path,
    code: 'invalid-configuration',
    reason: `table "${plainName(entry.table)}": ${reason}`,
    definition: { schema, name },
    accepted: true,
  });
}

/** Reports a column whose name GraphQL does not permit. The table is in the schema without it, as in Hasura v2. */
export function reportColumn(draft: Draft, { source, entry, path }: WrittenTable, column: string): void {
  const table = plainName(entry.table);
  const suggested = suggestedName(column);
  const example = suggested === undefined ? '' : ` such as "${suggested}"`;
  draft.report({
    type: UNSUPPORTED,
    name: `column ${column} of table ${table} in source ${source}`,
    path,
    code: 'invalid-configuration',
    reason: `table "${table}": the column "${column}" is in no schema, because its name is not a GraphQL name; set a custom_name${example} in column_config of the configuration`,
    definition: { table: entry.table, column },
    accepted: true,
  });
}

/** Reports a member of the configuration, such as `column_config.name`, that is ignored. The table is not dropped. */
export function reportConfiguration(
  draft: Draft,
  { source, entry, path }: WrittenTable,
  member: string,
  code: ErrorCode,
  reason: string,
): void {
  draft.report({
    type: 'table_configuration',
    name: `configuration ${member} of table ${plainName(entry.table)} in source ${source}`,
    path: `${path}.configuration.${member}`,
    code,
    reason: `table "${plainName(entry.table)}": ${reason}`,
    definition: entry.configuration,
  });
}

export type RelationshipKind = 'object' | 'array';

export function reportRelationship(
  draft: Draft,
  written: WrittenTable,
  kind: RelationshipKind,
  index: number,
  { name, using, comment }: Relationship,
  code: ErrorCode,
  reason: string,
): void {
  const { source, entry, path } = written;
  const table = plainName(entry.table);
  draft.report({
    type: `${kind}_relation`,
    name: `${kind}_relation ${name} in table ${table} in source ${source}`,
    path: `${path}.${kind}_relationships[${index}]`,
    code,
    reason: `in table "${table}": in relationship "${name}": ${reason}`,
    definition: { name, using, comment: comment ?? null, source, table: entry.table },
  });
}

export type PermissionKind = 'insert' | 'select' | 'update' | 'delete';
export type PermissionEntry = SelectPermissionEntry | WritePermissionEntry;

export function reportComputedField(
  draft: Draft,
  { source, entry, path }: WrittenTable,
  index: number,
  { name, definition, comment }: ComputedField,
  reason: string,
): void {
  const table = plainName(entry.table);
  draft.report({
    type: 'computed_field',
    name: `computed_field ${name} in table ${table} in source ${source}`,
    path: `${path}.computed_fields[${index}]`,
    code: 'invalid-configuration',
    reason,
    definition: { name, definition, comment: comment ?? null, source, table: entry.table },
  });
}

export function reportFunction(
  draft: Draft,
  { source, entry, path }: WrittenFunction,
  reason: string,
  severity: { readonly accepted?: true } = {},
): void {
  const name = plainName(entry.function);
  draft.report({
    type: 'function',
    name: `function ${name} in source ${source}`,
    path,
    code: 'invalid-configuration',
    reason: `in function "${name}": ${reason}`,
    definition: entry.function,
    ...severity,
  });
}

/** `inside` is the path of the error within the entry: `.permission.columns[2]`. */
export function reportPermission(
  draft: Draft,
  { source, entry, path }: WrittenTable,
  kind: PermissionKind,
  index: number,
  { role, permission, comment }: PermissionEntry,
  code: ErrorCode,
  reason: string,
  inside = '',
): void {
  const table = plainName(entry.table);
  draft.report({
    type: `${kind}_permission`,
    name: `${kind}_permission ${role} in table ${table} in source ${source}`,
    path: `${path}.${kind}_permissions[${index}]${inside}`,
    code,
    reason: `in table "${table}": in permission for role "${role}": ${reason}`,
    definition: { role, permission, comment: comment ?? null, source, table: entry.table },
  });
}

/** `inside` is the path of the error within the entry: `.definition.update.columns[2]`. */
export function reportEventTrigger(
  draft: Pick<Draft, 'report'>,
  { source, entry, path }: WrittenTable,
  index: number,
  trigger: EventTrigger,
  code: ErrorCode,
  reason: string,
  inside = '',
): void {
  const table = plainName(entry.table);
  draft.report({
    type: 'event_trigger',
    name: `event_trigger ${trigger.name} in table ${table} in source ${source}`,
    path: `${path}.event_triggers[${index}]${inside}`,
    code,
    reason: `in table "${table}": in event trigger "${trigger.name}": ${reason}`,
    definition: { table: entry.table, configuration: trigger },
  });
}

/** Reports everything within a dropped table as dropped for the same reason. */
export function reportContents(draft: Draft, written: WrittenTable, cause: string): void {
  const { object_relationships = [], array_relationships = [] } = written.entry;
  const code = 'invalid-configuration';
  for (const [index, one] of object_relationships.entries()) {
    reportRelationship(draft, written, 'object', index, one, code, cause);
  }
  for (const [index, one] of array_relationships.entries()) {
    reportRelationship(draft, written, 'array', index, one, code, cause);
  }
  for (const [index, one] of (written.entry.computed_fields ?? []).entries()) {
    reportComputedField(draft, written, index, one, cause);
  }
  for (const kind of ['insert', 'select', 'update', 'delete'] as const) {
    const permissions: readonly PermissionEntry[] = written.entry[`${kind}_permissions`] ?? [];
    for (const [index, one] of permissions.entries()) {
      reportPermission(draft, written, kind, index, one, code, cause);
    }
  }
  for (const [index, one] of (written.entry.event_triggers ?? []).entries()) {
    reportEventTrigger(draft, written, index, one, code, cause);
  }
}
