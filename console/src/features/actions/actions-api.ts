/** Commands on actions, custom types and their relationships. All functions throw Failure. */
import type { RequestTransform, ResponseTransform } from '@joinery/metadata/schema/transforms';
import type { Client } from '../../api/client.ts';
import type { Reading } from '../../api/edit-conflict.ts';
import { exportMetadata } from '../../api/metadata.ts';
import type { ShownHeader } from '../../shared/headers/header-draft.ts';
import type { RemoteRelationshipDefinition } from '../../shared/remote-relationships/definition-text.ts';
import type { MappingKey } from '../../shared/remote-relationships/mapping-fields.tsx';

interface TypedName {
  readonly name: string;
  readonly type: string;
  readonly description?: string | null;
}

/** An argument or a field of an input object. */
export interface InputValue extends TypedName {
  readonly default_value?: unknown;
}

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** A relationship to a table. Others have a `definition`. */
export interface TableRelationship {
  readonly name: string;
  readonly type: 'object' | 'array';
  readonly source?: string;
  readonly remote_table: TableName;
  readonly field_mapping: Readonly<Record<string, string>>;
}

export type Relationship =
  | TableRelationship
  | { readonly name: string; readonly definition: RemoteRelationshipDefinition };

export interface ObjectType {
  readonly name: string;
  readonly fields: readonly TypedName[];
  readonly implements?: readonly string[] | null;
  readonly relationships?: readonly Relationship[] | null;
}

export interface CustomTypes {
  readonly objects?: readonly ObjectType[];
  readonly input_objects?: readonly { readonly name: string; readonly fields: readonly InputValue[] }[];
  readonly enums?: readonly { readonly name: string; readonly values: readonly { readonly value: string }[] }[];
  readonly scalars?: readonly { readonly name: string }[];
  readonly interfaces?: readonly { readonly name: string; readonly fields: readonly TypedName[] }[] | null;
  readonly unions?: readonly { readonly name: string; readonly types: readonly string[] }[] | null;
}

/** The definition in the metadata, without default values. */
export interface ActionDefinition {
  readonly type?: 'query' | 'mutation';
  readonly kind?: 'synchronous' | 'asynchronous';
  readonly arguments?: readonly InputValue[];
  readonly output_type: string;
  readonly handler: string;
  readonly headers?: readonly ShownHeader[];
  readonly forward_client_headers?: boolean;
  readonly ignored_client_headers?: readonly string[];
  readonly timeout?: number;
  readonly retry_conf?: { readonly num_retries?: number; readonly retry_interval_seconds?: number } | null;
  readonly request_transform?: RequestTransform | null;
  readonly response_transform?: ResponseTransform | null;
  readonly forward_response_headers?: readonly string[];
  readonly max_concurrent_calls?: number;
  readonly cache?: { readonly ttl_seconds: number; readonly session_variables?: readonly string[] };
}

export interface Action {
  readonly name: string;
  readonly comment?: string | null;
  readonly definition: ActionDefinition;
  readonly permissions?: readonly { readonly role: string; readonly comment?: string | null }[];
}

export interface ActionsMetadata {
  /** Resource version of the metadata. */
  readonly version: number;
  readonly actions: readonly Action[];
  readonly types: CustomTypes;
  readonly sources: readonly { readonly name: string; readonly tables: readonly TableName[] }[];
  /** The exported metadata. */
  readonly exported: unknown;
}

interface Exported {
  readonly actions?: readonly Action[];
  readonly custom_types?: CustomTypes;
  readonly sources?: readonly { readonly name: string; readonly tables?: readonly { readonly table: TableName }[] }[];
}

export async function readActions(client: Client, signal: AbortSignal): Promise<ActionsMetadata> {
  const { metadata, resource_version: version } = await exportMetadata(client, signal);
  const exported = metadata as Exported;
  return {
    exported: exported,
    version,
    actions: exported.actions ?? [],
    types: exported.custom_types ?? {},
    sources: (exported.sources ?? []).map(({ name, tables = [] }) => ({
      name,
      tables: tables.map((one) => one.table),
    })),
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

export async function dropAction(client: Client, name: string): Promise<void> {
  await client.command('drop_action', { name });
}
