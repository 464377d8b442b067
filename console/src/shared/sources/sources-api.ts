/** Commands on sources and tables. All functions throw Failure. */

import type { CommandWarning } from '@joinery/metadata/api/metadata';
import type { SourceFunction, SuggestedRelationship, TableInfo } from '@joinery/metadata/api/sources/catalog';
import type { ExportedRelationshipUsing, ExportedSource } from '@joinery/metadata/document/exported-metadata';
import type { Client } from '../../api/client.ts';
import type { JsonObject } from '../../api/json.ts';
import { readRows } from '../sql/read-rows.ts';
import type { TableName } from './table-paths.ts';

export type { TableName } from './table-paths.ts';

/** A tracked table in the metadata. */
export type TableEntry = NonNullable<ExportedSource['tables']>[number];
export interface RelationshipEntry {
  readonly name: string;
  readonly using: ExportedRelationshipUsing;
  readonly comment?: string | null | undefined;
}
export type PermissionEntry = NonNullable<
  TableEntry['select_permissions' | 'insert_permissions' | 'update_permissions' | 'delete_permissions']
>[number];
export type ComputedField = NonNullable<TableEntry['computed_fields']>[number];
export type TableConfiguration = NonNullable<TableEntry['configuration']>;
export type ColumnConfig = NonNullable<TableConfiguration['column_config']>[string];
export type RootField = NonNullable<NonNullable<TableConfiguration['custom_root_fields']>['select']>;

/** A table with its configuration, as a command tracks it. */
export interface TrackedTable {
  readonly table: TableName;
  readonly configuration?: TableConfiguration;
}

/** Columns of a table without GraphQL names. */
export interface UnnamedColumns {
  readonly table: TableName;
  readonly columns: readonly string[];
}

/** A source in the metadata. */
export interface SourceEntry extends Omit<ExportedSource, 'configuration' | 'customization'> {
  readonly tables: readonly TableEntry[];
  /** With members that no form shows, which are preserved. */
  readonly configuration?: (ExportedSource['configuration'] & JsonObject) | undefined;
  readonly customization?: (NonNullable<ExportedSource['customization']> & JsonObject) | null | undefined;
}

export type ConnectionInfo = NonNullable<NonNullable<ExportedSource['configuration']>['connection_info']>;
export type DatabaseAddress = NonNullable<ConnectionInfo['database_url']>;

/** Lists all tables and views of the database by schema and name. */
export async function readSourceTables(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly TableName[]> {
  return client.command('pg_get_source_tables', { source }, { signal });
}

export async function readTableInfo(
  client: Client,
  source: string,
  { schema, name }: TableName,
  signal?: AbortSignal,
): Promise<TableInfo> {
  return client.command('pg_get_table_info', { source, table: { schema, name } }, { signal });
}

/** Lists the functions of the database that return rows of a table. */
export async function readFunctions(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly SourceFunction[]> {
  return client.command('pg_get_source_functions', { source }, { signal });
}

/** Tracks the tables that can be tracked. Returns a warning for each other one. */
export async function trackTables(
  client: Client,
  source: string,
  tables: readonly TrackedTable[],
): Promise<readonly CommandWarning[]> {
  const args = { tables: tables.map((tracked) => ({ source, ...tracked })), allow_warnings: true };
  return (await client.command('pg_track_tables', args)).warnings ?? [];
}

/** Lists the columns of all tables and views of the database whose names GraphQL does not permit. */
export async function readUnnamedColumns(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly UnnamedColumns[]> {
  const rows = await readRows(client, source, UNNAMED_COLUMNS, signal);
  return rows.map(([schema = '', name = '', columns = '[]']) => ({
    table: { schema, name },
    columns: JSON.parse(columns) as readonly string[],
  }));
}

const UNNAMED_COLUMNS = `select n.nspname, c.relname, json_agg(a.attname order by a.attnum)
from pg_catalog.pg_attribute a
join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'v', 'm', 'f')
and n.nspname not in ('information_schema', 'joinery') and n.nspname !~ '^pg_'
and (a.attname !~ '^[_A-Za-z][_0-9A-Za-z]*$' or a.attname ~ '^__')
group by n.nspname, c.relname`;

/** Untracks all of the tables or none. Fails when other objects depend on them, unless `cascade` removes those too. */
export async function untrackTables(
  client: Client,
  source: string,
  tables: readonly TableName[],
  cascade: boolean,
): Promise<void> {
  const args = { tables: tables.map((table) => ({ source, table })), cascade, allow_warnings: false };
  await client.command('pg_untrack_tables', args);
}

/** Suggests relationships for foreign keys between tracked tables. */
export async function readSuggestions(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly SuggestedRelationship[]> {
  const args = { source, omit_tracked: true };
  return (await client.command('pg_suggest_relationships', args, { signal })).relationships;
}

/** Creates the suggested relationships in one command, all or none. */
export async function createSuggested(
  client: Client,
  source: string,
  suggestions: readonly SuggestedRelationship[],
): Promise<void> {
  await client.command(
    'bulk',
    suggestions.map((suggestion) => suggestedCommand(source, suggestion)),
  );
}

/** Returns the command that creates a suggested relationship. */
function suggestedCommand(source: string, { type, name, from, to }: SuggestedRelationship) {
  const using = {
    foreign_key_constraint_on:
      from.constraint_name === undefined ? { table: to.table, columns: to.columns } : from.columns,
  };
  return { type: `pg_create_${type}_relationship` as const, args: { source, table: from.table, name, using } };
}

/** Replaces the configuration of a table. `basedOn` as for `command`. */
export async function setConfiguration(
  client: Client,
  source: string,
  table: TableName,
  configuration: TableConfiguration,
  basedOn: number | undefined,
): Promise<void> {
  await client.command('pg_set_table_customization', { source, table, configuration }, { basedOn });
}

export async function setIsEnum(client: Client, source: string, table: TableName, isEnum: boolean): Promise<void> {
  await client.command('pg_set_table_is_enum', { source, table, is_enum: isEnum });
}

export async function addSource(client: Client, args: object): Promise<void> {
  await client.command('pg_add_source', JSON.stringify(args));
}

/** Removes a source. Fails when other objects depend on it, unless `cascade` removes those too. */
export async function dropSource(client: Client, name: string, cascade: boolean): Promise<void> {
  await client.command('pg_drop_source', { name, cascade });
}

/** Introspects the database again. */
export async function reloadSource(client: Client, name: string): Promise<void> {
  await client.command('reload_metadata', { reload_sources: [name] });
}
