/** Commands on sources and tables. All functions throw Failure. */
import type { Client } from '../../api/client.ts';
import { exportMetadata } from '../../api/metadata.ts';
import type { TableName } from './table-paths.ts';

export type { TableName } from './table-paths.ts';

type Json = Readonly<Record<string, unknown>>;

export interface RelationshipEntry {
  readonly name: string;
  readonly using: Json;
  readonly comment?: string | null;
}

export interface PermissionEntry {
  readonly role: string;
  readonly permission: Json;
  readonly comment?: string | null;
}

/** A tracked table in the metadata. */
export interface TableEntry {
  readonly table: TableName;
  readonly is_enum?: boolean;
  readonly configuration?: TableConfiguration;
  readonly object_relationships?: readonly RelationshipEntry[];
  readonly array_relationships?: readonly RelationshipEntry[];
  readonly computed_fields?: readonly ComputedField[];
  readonly remote_relationships?: readonly ({ readonly name: string } & Json)[];
  readonly select_permissions?: readonly PermissionEntry[];
  readonly insert_permissions?: readonly PermissionEntry[];
  readonly update_permissions?: readonly PermissionEntry[];
  readonly delete_permissions?: readonly PermissionEntry[];
}

export interface ComputedField {
  readonly name: string;
  readonly definition: { readonly function: TableName | string } & Json;
  readonly comment?: string | null;
}

export interface ColumnConfig {
  readonly custom_name?: string | null;
  readonly comment?: string | null;
}

export type RootField = string | { readonly name?: string | null; readonly comment?: string | null };

export interface TableConfiguration {
  readonly custom_name?: string | null;
  readonly custom_root_fields?: Readonly<Record<string, RootField | null>>;
  readonly custom_column_names?: Readonly<Record<string, string>>;
  readonly column_config?: Readonly<Record<string, ColumnConfig>>;
  readonly comment?: string | null;
}

export type DatabaseAddress = string | { readonly from_env?: string } | Json;

export type ConnectionInfo = Json & {
  readonly database_url?: DatabaseAddress;
  readonly pool_settings?: Readonly<Record<string, number | null>> | null;
};

/** A source in the metadata. */
export interface SourceEntry {
  readonly name: string;
  readonly kind: string;
  readonly tables: readonly TableEntry[];
  readonly functions?: readonly {
    readonly function: TableName;
    readonly permissions?: readonly { readonly role: string }[];
  }[];
  readonly configuration?: Json & {
    readonly connection_info?: ConnectionInfo;
    readonly read_replicas?: readonly ConnectionInfo[] | null;
  };
  readonly customization?: Json | null;
}

interface Exported {
  readonly sources?: readonly (Omit<SourceEntry, 'tables'> & { readonly tables?: readonly TableEntry[] })[];
}

export interface Sources {
  /** Resource version of the metadata. */
  readonly version: number;
  readonly sources: readonly SourceEntry[];
}

export async function readSources(client: Client, signal: AbortSignal): Promise<Sources> {
  const { metadata, resource_version: version } = await exportMetadata(client, signal);
  const { sources = [] } = metadata as Exported;
  return { version, sources: sources.map((source) => ({ ...source, tables: source.tables ?? [] })) };
}

/** Lists all tables and views of the database by schema and name. */
export async function readSourceTables(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly TableName[]> {
  return client.command('pg_get_source_tables', { source }, { signal });
}

export type TableKind = 'table' | 'partitioned_table' | 'view' | 'materialized_view' | 'foreign_table';

export interface ColumnInfo {
  readonly name: string;
  /** Internal type name: `int4`, `text[]`. */
  readonly type: string;
  /** SQL type: `numeric(10,2)`. */
  readonly sql_type: string;
  /** Base type of a domain. */
  readonly base_type?: string;
  /** Values of an enum. */
  readonly values?: readonly string[];
  readonly nullable: boolean;
  readonly has_default: boolean;
  /** Expression of the default or of a generated column. */
  readonly default: string | null;
  readonly generated: boolean;
  readonly identity: 'always' | 'by default' | null;
  /** False for columns that only the database writes. */
  readonly writable: boolean;
  readonly comment: string | null;
}

export interface ForeignKey {
  readonly constraint: string;
  /** Columns of this table to columns of the referenced table. */
  readonly columns: Readonly<Record<string, string>>;
  readonly table: TableName;
}

export interface TableInfo {
  readonly table: TableName;
  readonly kind: TableKind;
  readonly comment: string | null;
  /** Null when the database has no estimate. */
  readonly estimated_rows: number | null;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  readonly columns: readonly ColumnInfo[];
  readonly primary_key: readonly string[] | null;
  readonly unique_keys: readonly (readonly string[])[];
  readonly foreign_keys: readonly ForeignKey[];
  readonly tracked: boolean;
  readonly enum: boolean;
  /** Whether the table changed since the service introspected it. */
  readonly changed: boolean;
}

export async function readTableInfo(
  client: Client,
  source: string,
  { schema, name }: TableName,
  signal?: AbortSignal,
): Promise<TableInfo> {
  return client.command('pg_get_table_info', { source, table: { schema, name } }, { signal });
}

/** A table that was not tracked or untracked, with the reason. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}

/** Tracks the tables that can be tracked. Returns a warning for each other one. */
export async function trackTables(
  client: Client,
  source: string,
  tables: readonly TableName[],
): Promise<readonly Warning[]> {
  const args = { tables: tables.map((table) => ({ source, table })), allow_warnings: true };
  return (await client.command('pg_track_tables', args)).warnings ?? [];
}

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

export interface SuggestionEnd {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly constraint_name?: string;
}

export interface Suggestion {
  readonly type: 'object' | 'array';
  readonly from: SuggestionEnd;
  readonly to: SuggestionEnd;
  readonly name: string;
}

/** Suggests relationships for foreign keys between tracked tables. */
export async function readSuggestions(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const args = { source, omit_tracked: true };
  return (await client.command('pg_suggest_relationships', args, { signal })).relationships;
}

/** Creates the suggested relationships in one command, all or none. */
export async function createSuggested(
  client: Client,
  source: string,
  suggestions: readonly Suggestion[],
): Promise<void> {
  await client.command(
    'bulk',
    suggestions.map((suggestion) => suggestedCommand(source, suggestion)),
  );
}

/** Returns the command that creates a suggested relationship. */
function suggestedCommand(source: string, { type, name, from, to }: Suggestion): object {
  const using = {
    foreign_key_constraint_on:
      from.constraint_name === undefined ? { table: to.table, columns: to.columns } : from.columns,
  };
  return { type: `pg_create_${type}_relationship`, args: { source, table: from.table, name, using } };
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
  await client.command('pg_add_source', args);
}

/** Removes a source. Fails when other objects depend on it, unless `cascade` removes those too. */
export async function dropSource(client: Client, name: string, cascade: boolean): Promise<void> {
  await client.command('pg_drop_source', { name, cascade });
}

/** Introspects the database again. */
export async function reloadSource(client: Client, name: string): Promise<void> {
  await client.command('reload_metadata', { reload_sources: [name] });
}
