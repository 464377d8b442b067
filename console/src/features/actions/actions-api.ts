/** Commands on actions, custom types and their relationships. All functions throw Failure. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import type { Client } from '../../api/client.ts';
import type { Reading } from '../../api/edit-conflict.ts';
import type { MappingKey } from '../../shared/remote-relationships/mapping-fields.tsx';

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

export type CustomTypes = NonNullable<ExportedMetadata['custom_types']>;
export type ObjectType = NonNullable<CustomTypes['objects']>[number];
export type Relationship = NonNullable<ObjectType['relationships']>[number];
/** A relationship to a table. Others have a `definition`. */
export type TableRelationship = Extract<Relationship, { readonly remote_table: unknown }>;
export type Action = NonNullable<ExportedMetadata['actions']>[number];
/** The definition in the metadata, without default values. */
export type ActionDefinition = Action['definition'];
/** An argument or a field of an input object. */
export type InputValue = NonNullable<ActionDefinition['arguments']>[number];

export interface ActionsMetadata {
  /** Resource version of the metadata. */
  readonly version: number;
  readonly actions: readonly Action[];
  readonly types: CustomTypes;
  readonly sources: readonly { readonly name: string; readonly tables: readonly TableName[] }[];
  /** The exported metadata. */
  readonly exported: ExportedMetadata;
}

/** For `useMetadata`. */
export function actionsOf({ metadata, resource_version: version }: MetadataExport): ActionsMetadata {
  return {
    exported: metadata,
    version,
    actions: metadata.actions ?? [],
    types: metadata.custom_types ?? {},
    sources: metadata.sources.map(({ name, tables = [] }) => ({ name, tables: tables.map((one) => one.table) })),
  };
}

/** Returns the fields of an output type with compatible table columns. */
export async function readKeys(
  client: Client,
  typeName: string,
  source: string,
  table: TableName,
  signal: AbortSignal,
): Promise<readonly MappingKey[]> {
  const args = { type_name: typeName, source, table };
  return (await client.command('get_action_relationship_keys', args, { signal })).fields;
}

/** The relationship to replace. Undefined for a new one. */
type Replaced = Reading<{ readonly name: string } | undefined>;

export async function saveRelationship(
  client: Client,
  typeName: string,
  relationship: TableRelationship,
  { shown: before, version }: Replaced,
): Promise<void> {
  const args = { type_name: typeName, ...relationship };
  if (before === undefined) {
    await client.command('create_action_relationship', args);
    return;
  }
  const change = { ...args, name: before.name, new_name: relationship.name };
  await client.command('update_action_relationship', change, { basedOn: version });
}

/** Saves a relationship. `definition` is JSON text. */
export async function saveDefinedRelationship(
  client: Client,
  typeName: string,
  name: string,
  definition: string,
  { shown: before, version }: Replaced,
): Promise<void> {
  const names = { type_name: typeName, name: before?.name ?? name, ...(before !== undefined && { new_name: name }) };
  const args = `${JSON.stringify(names).slice(0, -1)},"definition":${definition}}`;
  if (before === undefined) await client.command('create_action_relationship', args);
  else await client.command('update_action_relationship', args, { basedOn: version });
}

export async function dropRelationship(client: Client, typeName: string, name: string): Promise<void> {
  await client.command('drop_action_relationship', { type_name: typeName, name });
}

export async function setPermission(client: Client, action: string, role: string, granted: boolean): Promise<void> {
  await client.command(granted ? 'create_action_permission' : 'drop_action_permission', { action, role });
}

/** Permits roles to call an action, or revokes it: all changes or none. */
export async function setPermissions(
  client: Client,
  action: string,
  changes: Readonly<Record<string, boolean>>,
): Promise<void> {
  const bulk = Object.entries(changes).map(([role, granted]) => ({
    type: granted ? ('create_action_permission' as const) : ('drop_action_permission' as const),
    args: { action, role },
  }));
  await client.command('bulk', bulk);
}

export async function dropAction(client: Client, name: string): Promise<void> {
  await client.command('drop_action', { name });
}
