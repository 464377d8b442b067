/** The first stage of resolve: sources, and tables with columns, types, names and keys. */
import { isGraphqlName } from '@joinery/metadata/graphql-names';
import type { QualifiedTable, SourceName } from '@joinery/metadata/names';
import type { TableConfiguration } from '@joinery/metadata/schema/tables';
import { ServiceError } from '../../base/errors.ts';
import type { Steps } from '../../base/steps.ts';
import type { Catalog, CatalogColumn, CatalogRelation } from '../../postgres/catalog/catalog-types.ts';
import {
  keyOf,
  plainName,
  reportColumn,
  reportConfiguration,
  reportContents,
  reportHidden,
  reportSource,
  reportTable,
  type WrittenSource,
  type WrittenTable,
  whyNoCatalog,
  writtenSources,
  writtenTables,
} from '../inconsistencies/metadata-entries.ts';
import { whyHidden } from '../names/hidden-table.ts';
import { camelCase, pascalCase } from '../names/naming-convention.ts';
import { customRoots, namespaceTypes, plainNames, sourceNames, whyNoNames } from '../names/source-names.ts';
import {
  baseName,
  connectionRootName,
  mutationRootNames,
  nameRegister,
  rootNames,
  streamRootName,
} from '../names/table-names.ts';
import { typeReader } from '../predicate/column-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Draft, DraftTable } from '../types/draft.ts';
import type { NamingConvention } from '../types/naming.ts';
import type { Column } from '../types/table.ts';
import { type EnumTable, enumColumns, enumTables } from './enum-tables.ts';

interface Candidate {
  readonly written: WrittenTable;
  readonly table: DraftTable;
  /** Why the table is in no schema. */
  readonly hidden: string | undefined;
}

/** Fills `draft.sources`, without relationships, joins and permissions. */
export function* resolveTables(draft: Draft): Steps<void> {
  const candidates: Candidate[] = [];
  for (const source of writtenSources(draft))
    for (const one of yield* resolveSource(draft, source)) candidates.push(one);
  const scalars = new Set<string>();
  for (const { table } of candidates) for (const { type } of table.columns.values()) scalars.add(type.scalar);
  const names = nameRegister(scalars, draft.sources.values());
  for (const { written, table, hidden } of candidates) {
    const owner = describe(table.source, written.entry.table);
    const namespace = draft.sources.get(table.source)?.namespace?.name;
    const taken = hidden !== undefined ? undefined : names.claim(table, owner, namespace);
    if (taken === undefined) {
      if (hidden !== undefined) reportHidden(draft, written, hidden);
      else reportUnnamed(draft, written, table);
      draft.sources.get(table.source)?.tables.set(keyOf(written.entry.table), table);
    }
    // The error code of Hasura v2 for conflicting definitions.
    else drop(draft, written, 'unexpected', taken);
    yield;
  }
}

/** Reports the columns that are in no schema, because GraphQL does not permit their names. */
function reportUnnamed(draft: Draft, written: WrittenTable, { columnsByName }: DraftTable): void {
  for (const { name, field } of columnsByName.values()) if (!isGraphqlName(field)) reportColumn(draft, written, name);
}

function describe(source: SourceName, table: QualifiedTable): string {
  return `table "${plainName(table)}" of source "${source}"`;
}

function drop(draft: Draft, written: WrittenTable, code: ServiceError['code'], reason: string, place?: string): void {
  reportTable(draft, written, code, reason, place);
  reportContents(draft, written, `table "${plainName(written.entry.table)}" was dropped: ${reason}`);
}

function* resolveSource(draft: Draft, written: WrittenSource): Steps<readonly Candidate[]> {
  const { name } = written.source;
  if (draft.input.metadata.sources.find((source) => source.name === name) !== written.source) {
    return yield* dropSource(
      draft,
      written,
      'already-exists',
      `another source has the name "${name}"; rename one of them`,
    );
  }
  const catalog = draft.input.catalogs.get(name);
  if (catalog === undefined || catalog instanceof ServiceError) {
    const code = catalog?.code ?? 'invalid-configuration';
    return yield* dropSource(draft, written, code, whyNoCatalog(catalog) ?? notConnected, '.configuration');
  }
  const misnamed = whyNoNames(written.source.customization);
  if (misnamed !== undefined)
    return yield* dropSource(draft, written, 'not-supported', misnamed, '.customization.naming_convention');
  const names = sourceNames(written.source.customization, draft.input.namingConvention);
  const { namespace, convention } = names;
  draft.sources.set(name, {
    name,
    ...(namespace !== undefined && { namespace: { name: namespace, types: namespaceTypes(namespace, names) } }),
    ...(convention && { convention }),
    ...(written.source.query_tags && !written.source.query_tags.disabled && { queryTags: written.source.query_tags }),
    ...(catalog.readsSession && { readsSession: true }),
    names,
    tables: new Map(),
    functions: new Map(),
    logicalModels: new Map(),
    nativeQueries: new Map(),
    eventTriggers: new Map(),
  });
  return yield* resolveTablesOf(draft, written, catalog);
}

const notConnected = 'the service is not connected to it';

function* dropSource(
  draft: Draft,
  written: WrittenSource,
  code: ServiceError['code'],
  reason: string,
  place = '',
): Steps<readonly []> {
  reportSource(draft, written, code, reason, place);
  const cause = `source "${written.source.name}" was dropped: ${reason}`;
  for (const table of writtenTables(written)) {
    reportTable(draft, table, 'invalid-configuration', cause);
    reportContents(draft, table, cause);
    yield;
  }
  return [];
}

function* resolveTablesOf(draft: Draft, source: WrittenSource, catalog: Catalog): Steps<readonly Candidate[]> {
  const typeOf = typeReader(catalog.types);
  const seen = new Set<string>();
  const enums = enumTables(writtenTables(source), catalog, draft.sources.get(source.source.name)?.names);
  const candidates: Candidate[] = [];
  for (const written of writtenTables(source)) {
    const key = keyOf(written.entry.table);
    const relation = catalog.relations.get(key);
    if (seen.has(key)) drop(draft, written, 'already-tracked', 'it is tracked already; remove one of the two');
    else if (relation === undefined) {
      const missing = `no such table/view exists in source: "${plainName(written.entry.table)}"`;
      drop(draft, written, 'invalid-configuration', missing, '');
    } else if (typeof enums.get(key) === 'string') {
      drop(draft, written, 'invalid-configuration', String(enums.get(key)), '');
    } else {
      seen.add(key);
      candidates.push(resolveTable(draft, written, relation, typeOf, enumColumns(relation, enums)));
    }
    yield;
  }
  return candidates;
}

function resolveTable(
  draft: Draft,
  written: WrittenTable,
  relation: CatalogRelation,
  typeOf: (oid: number) => ColumnType | undefined,
  enums: ReadonlyMap<string, EnumTable>,
): Candidate {
  const { schema, name } = relation;
  const { configuration } = written.entry;
  const { names = plainNames } = draft.sources.get(written.source) ?? {};
  const { convention } = names;
  const columnsByName = new Map<string, Column>();
  for (const column of relation.columns) {
    const type = asEnum(typeOf(column.type), enums.get(column.name), convention);
    if (type !== undefined) columnsByName.set(column.name, resolveColumn(column, type, configuration, convention));
  }
  const columns = fieldsOf(draft, written, columnsByName);
  const primaryKey = relation.primaryKey?.columns.flatMap((column) => columnsByName.get(column) ?? []);
  const base = baseName(schema, name, configuration);
  const graphqlName = names.typePrefix + (convention && !configuration?.custom_name ? pascalCase(base) : base);
  const roots = customRoots(rootNames(base, configuration, convention), names);
  const table: DraftTable = {
    source: written.source,
    schema,
    name,
    graphqlName,
    ...(names.typeSuffix !== '' && { typeSuffix: names.typeSuffix }),
    ...(convention && { convention }),
    ...(configuration?.custom_name && { customNamed: true }),
    ...(configuration?.custom_root_fields && { rootComments: rootComments(configuration.custom_root_fields) }),
    roots,
    streamRoot: names.root(streamRootName(base, configuration, convention)),
    connectionRoot: names.root(connectionRootName(base, configuration, convention)),
    comment: (configuration?.comment ?? relation.comment) || undefined,
    columns,
    columnsByName,
    primaryKey,
    uniqueKeys: relation.uniqueKeys,
    primaryKeyName: relation.primaryKey?.name,
    ...(written.entry.apollo_federation_config && { isEntity: true as const }),
    ...(relation.primaryKey?.deferrable && { primaryKeyDeferrable: true }),
    ...(relation.hasChildren && { hasChildren: true }),
    relationships: new Map(),
    joins: new Map(),
    computedFields: new Map(),
    selectAccess: new Map(),
    insertAccess: new Map(),
    updateAccess: new Map(),
    deleteAccess: new Map(),
    ...(relation.kind === 'view' && { isView: true }),
    ...(relation.isVolatile && { isVolatile: true }),
    insertable: relation.insertable,
    updatable: relation.updatable,
    deletable: relation.deletable,
    mutationRoots: customRoots(mutationRootNames(base, configuration, convention), names),
  };
  const hidden = whyHidden(table, base);
  return { written, table: hidden === undefined ? table : { ...table, hidden: true }, hidden };
}

function rootComments(roots: NonNullable<TableConfiguration['custom_root_fields']>): Record<string, string> {
  const comments: Record<string, string> = {};
  for (const [kind, written] of Object.entries(roots)) {
    if (typeof written === 'object' && typeof written?.comment === 'string') comments[kind] = written.comment;
  }
  return comments;
}

/** The type of a column that refers to an enum table: the values of the enum, the SQL type of the column. */
function asEnum(
  type: ColumnType | undefined,
  found: EnumTable | undefined,
  convention: NamingConvention | undefined,
): ColumnType | undefined {
  if (type === undefined || found === undefined) return type;
  return { ...type, scalar: found.name, enumeration: found.values, ...(convention && { upperCase: true }) };
}

function resolveColumn(
  column: CatalogColumn,
  type: ColumnType,
  configuration: TableConfiguration | undefined,
  convention: NamingConvention | undefined,
): Column {
  const { name, nullable } = column;
  const comment = (configured(configuration?.column_config, name)?.comment ?? column.comment) || undefined;
  return {
    name,
    field: customField(configuration, name) ?? (convention ? camelCase(name) : name),
    type,
    nullable,
    comment,
    hasDefault: column.hasDefault || column.identity !== undefined || column.generated,
    writable: column.generated || column.identity === 'always' ? 'no' : 'yes',
  };
}

function customField(configuration: TableConfiguration | undefined, column: string): string | undefined {
  const named = configured(configuration?.column_config, column)?.custom_name;
  return named ?? configured(configuration?.custom_column_names, column);
}

/** The entry for a column, which may be called `constructor`. */
function configured<Value>(record: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The columns with valid GraphQL names, by field. Reports custom names that are in use or of unknown columns. */
function fieldsOf(draft: Draft, written: WrittenTable, columns: ReadonlyMap<string, Column>): Map<string, Column> {
  const { configuration } = written.entry;
  const mentions = (['column_config', 'custom_column_names'] as const).flatMap((member) =>
    Object.keys(configuration?.[member] ?? {}).map((column) => ({ member, column })),
  );
  for (const { member, column } of mentions) {
    if (columns.has(column)) continue;
    const reason = `it has no column "${column}", so the configuration of that column has no effect; remove it`;
    reportConfiguration(draft, written, `${member}.${column}`, 'not-exists', reason);
  }
  const fields = new Map<string, Column>();
  const plain = [...columns.values()].filter(({ name, field }) => name === field);
  const owners = new Map(plain.map((column) => [column.field, column]));
  for (const column of columns.values()) {
    if (!isGraphqlName(column.field)) continue;
    const owner = owners.get(column.field);
    if (owner === undefined || owner === column) {
      owners.set(column.field, column);
      fields.set(column.field, column);
      continue;
    }
    const member = configured(configuration?.column_config, column.name)?.custom_name
      ? 'column_config'
      : 'custom_column_names';
    const reason = `column "${column.name}" has the custom name "${column.field}", which column "${owner.name}" has already`;
    reportConfiguration(draft, written, `${member}.${column.name}`, 'already-exists', `${reason}; choose another`);
  }
  return fields;
}
