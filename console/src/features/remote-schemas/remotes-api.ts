/** Commands on remote schemas. All functions throw Failure. */
import { buildClientSchema, type GraphQLSchema } from 'graphql';
import type { Client } from '../../api/client.ts';
import type { Reading } from '../../api/edit-conflict.ts';
import { exportMetadata } from '../../api/metadata.ts';
import type { ShownHeader } from '../../shared/headers/header-draft.ts';
import type { RemoteRelationshipDefinition } from '../../shared/remote-relationships/definition-text.ts';

interface NewNames {
  readonly prefix?: string | null;
  readonly suffix?: string | null;
  readonly mapping?: Readonly<Record<string, string>> | null;
}

interface Customization {
  readonly root_fields_namespace?: string | null;
  readonly type_names?: NewNames | null;
  readonly field_names?: readonly (NewNames & { readonly parent_type: string })[] | null;
}

/** The definition in the metadata, without default values. */
export interface RemoteDefinition {
  readonly url?: string;
  readonly url_from_env?: string;
  readonly headers?: readonly ShownHeader[];
  readonly forward_client_headers?: boolean;
  readonly timeout_seconds?: number;
  readonly customization?: Customization | null;
}

export interface RemotePermission {
  readonly role: string;
  readonly definition: { readonly schema: string };
  readonly comment?: string | null;
}

export interface TypeJoins {
  readonly type_name: string;
  readonly relationships: readonly { readonly name: string; readonly definition: RemoteRelationshipDefinition }[];
}

interface WrittenRemote {
  readonly name: string;
  readonly definition: RemoteDefinition;
  readonly comment?: string | null;
  readonly permissions?: readonly RemotePermission[];
  readonly remote_relationships?: readonly TypeJoins[];
}

/** Whether the schema is current, cached, or unknown. */
export interface RemoteStatus {
  readonly name: string;
  readonly status: 'current' | 'stale' | 'unavailable';
  /** ISO 8601. Null before the first introspection. */
  readonly read_at: string | null;
  readonly problem?: { readonly code: string; readonly message: string };
}

export interface RemoteSchema extends WrittenRemote {
  /** Undefined when the service reports none. */
  readonly state: RemoteStatus | undefined;
}

export interface Remotes {
  readonly remotes: readonly RemoteSchema[];
  /** The exported metadata. */
  readonly exported: unknown;
  /** Resource version of the metadata. */
  readonly version: number;
}

export async function readRemotes(client: Client, signal: AbortSignal): Promise<Remotes> {
  const [{ metadata: exported, resource_version: version }, statuses] = await Promise.all([
    exportMetadata(client, signal),
    client.command('get_remote_schema_status', {}, { signal }),
  ]);
  const known = new Map(statuses.remote_schemas.map((one) => [one.name, one]));
  const { remote_schemas: written = [] } = exported as { readonly remote_schemas?: readonly WrittenRemote[] };
  return { remotes: written.map((one) => ({ ...one, state: known.get(one.name) })), exported: exported, version };
}

/** Reads the schema with its original names. */
export async function readRemoteSchema(client: Client, name: string, signal?: AbortSignal): Promise<GraphQLSchema> {
  const { data } = await client.command('introspect_remote_schema', { name }, { signal });
  return buildClientSchema(data);
}

interface SavedRemote {
  readonly name: string;
  readonly definition: object;
  readonly comment: string | null;
}

export async function addRemote(client: Client, remote: SavedRemote): Promise<void> {
  await client.command('add_remote_schema', remote);
}

/** Updates a remote schema. `basedOn` as for `command`. */
export async function updateRemote(client: Client, remote: SavedRemote, basedOn: number | undefined): Promise<void> {
  await client.command('update_remote_schema', remote, { basedOn });
}

export async function reloadRemote(client: Client, name: string): Promise<void> {
  await client.command('reload_remote_schema', { name });
}

/** Removes a remote schema, with `cascade` also its dependents. */
export async function removeRemote(client: Client, name: string, cascade: boolean): Promise<void> {
  await client.command('remove_remote_schema', { name, cascade });
}

/** Saves the permission SDL of a role in place of the previous one, which is undefined for none. */
export async function saveRemotePermission(
  client: Client,
  remote: string,
  role: string,
  schema: string,
  { shown: before, version }: Reading<RemotePermission | undefined>,
): Promise<void> {
  const target = { remote_schema: remote, role };
  const comment = before?.comment ?? undefined;
  const drop = before === undefined ? [] : [{ type: 'drop_remote_schema_permissions', args: target }];
  const args = { ...target, definition: { schema }, ...(comment !== undefined && { comment }) };
  await client.command('bulk', [...drop, { type: 'add_remote_schema_permissions', args }], { basedOn: version });
}

export async function dropRemotePermission(client: Client, remote: string, role: string): Promise<void> {
  await client.command('drop_remote_schema_permissions', { remote_schema: remote, role });
}

/** Saves a relationship in place of `before`, which is undefined for a new one. `definition` is JSON text. */
export async function saveTypeRelationship(
  client: Client,
  at: { readonly remote_schema: string; readonly type_name: string },
  name: string,
  definition: string,
  { shown: before, version }: Reading<{ readonly name: string } | undefined>,
): Promise<void> {
  const args = `${JSON.stringify({ ...at, name }).slice(0, -1)},"definition":${definition}}`;
  if (before?.name === name) {
    await client.command('update_remote_schema_remote_relationship', args, { basedOn: version });
    return;
  }
  const creation = `{"type":"create_remote_schema_remote_relationship","args":${args}}`;
  const deletion =
    before === undefined
      ? ''
      : `${JSON.stringify({ type: 'delete_remote_schema_remote_relationship', args: { ...at, name: before.name } })},`;
  await client.command('bulk', `[${deletion}${creation}]`, { basedOn: version });
}

export async function dropTypeRelationship(client: Client, remote: string, type: string, name: string): Promise<void> {
  const args = { remote_schema: remote, type_name: type, name };
  await client.command('delete_remote_schema_remote_relationship', args);
}
