/** Actions, their types and what they can be joined to, as the metadata API has them. Every function throws Failure. */
import type { Client } from '../api/client.ts';

interface TypedName {
  readonly name: string;
  readonly type: string;
  readonly description?: string | null;
}

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** To a table; other relationships have a `definition`, which is shown as it is. */
export interface TableRelationship {
  readonly name: string;
  readonly type: 'object' | 'array';
  readonly source?: string;
  readonly remote_table: TableName;
  readonly field_mapping: Readonly<Record<string, string>>;
}

export type Relationship = TableRelationship | { readonly name: string; readonly definition: unknown };

export interface ObjectType {
  readonly name: string;
  readonly fields: readonly TypedName[];
  readonly relationships?: readonly Relationship[] | null;
}

export interface CustomTypes {
  readonly objects?: readonly ObjectType[];
  readonly input_objects?: readonly { readonly name: string; readonly fields: readonly TypedName[] }[];
  readonly enums?: readonly { readonly name: string; readonly values: readonly { readonly value: string }[] }[];
  readonly scalars?: readonly { readonly name: string }[];
}

export interface Action {
  readonly name: string;
  readonly comment?: string | null;
  readonly definition: {
    readonly type?: 'query' | 'mutation';
    readonly kind?: 'synchronous' | 'asynchronous';
    readonly arguments?: readonly TypedName[];
    readonly output_type: string;
    readonly handler: string;
    readonly forward_client_headers?: boolean;
  };
  readonly permissions?: readonly { readonly role: string }[];
}

export interface ActionsMetadata {
  readonly actions: readonly Action[];
  readonly types: CustomTypes;
  readonly sources: readonly { readonly name: string; readonly tables: readonly TableName[] }[];
}

interface Exported {
  readonly actions?: readonly Action[];
  readonly custom_types?: CustomTypes;
  readonly sources?: readonly { readonly name: string; readonly tables?: readonly { readonly table: TableName }[] }[];
}

export async function readActions(client: Client, signal: AbortSignal): Promise<ActionsMetadata> {
  const exported = await client.command<Exported>('export_metadata', {}, signal);
  return {
    actions: exported.actions ?? [],
    types: exported.custom_types ?? {},
    sources: (exported.sources ?? []).map(({ name, tables = [] }) => ({
      name,
      tables: tables.map((one) => one.table),
    })),
  };
}

/** A field of an output type with the columns of a table: those without a `problem` fit. */
export interface Keys {
  readonly field: string;
  readonly type: string;
  readonly columns: readonly { readonly column: string; readonly type: string; readonly problem?: string }[];
}

export async function readKeys(
  client: Client,
  typeName: string,
  source: string,
  table: TableName,
  signal: AbortSignal,
): Promise<readonly Keys[]> {
  const args = { type_name: typeName, source, table };
  return (await client.command<{ fields: readonly Keys[] }>('get_action_relationship_keys', args, signal)).fields;
}

/** `before`: the name of the relationship that is changed; undefined for a new one. */
export async function saveRelationship(
  client: Client,
  typeName: string,
  relationship: TableRelationship,
  before: string | undefined,
): Promise<void> {
  const args = { type_name: typeName, ...relationship };
  if (before === undefined) await client.command('create_action_relationship', args);
  else await client.command('update_action_relationship', { ...args, name: before, new_name: relationship.name });
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
