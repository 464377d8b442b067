/** Commands on remote schemas. All functions throw Failure. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import type { RemoteSchemaStatus, RemoteSchemaStatuses } from '@joinery/metadata/api/remote-schemas';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import type { Client } from '../../api/client.ts';
import type { Reading } from '../../api/edit-conflict.ts';

type WrittenRemote = NonNullable<ExportedMetadata['remote_schemas']>[number];
/** The definition in the metadata, without default values. */
export type RemoteDefinition = WrittenRemote['definition'];
export type RemotePermission = NonNullable<WrittenRemote['permissions']>[number];

export type RemoteSchema = WrittenRemote & {
  /** Undefined when the service reports none. */
  readonly state: RemoteSchemaStatus | undefined;
};

export interface Remotes {
  readonly remotes: readonly RemoteSchema[];
  readonly exported: ExportedMetadata;
  /** Resource version of the metadata. */
  readonly version: number;
}

/** Adds its status to each remote schema of the metadata. */
export function remotesOf(
  { metadata: exported, resource_version: version }: MetadataExport,
  { remote_schemas: statuses }: RemoteSchemaStatuses,
): Remotes {
  const known = new Map(statuses.map((one) => [one.name, one]));
  const remotes = (exported.remote_schemas ?? []).map((one) => ({ ...one, state: known.get(one.name) }));
  return { remotes, exported, version };
}

interface SavedRemote {
  readonly name: string;
  readonly definition: object;
  readonly comment: string | null;
}

export async function addRemote(client: Client, remote: SavedRemote): Promise<void> {
  await client.command('add_remote_schema', JSON.stringify(remote));
}

/** Updates a remote schema. `basedOn` as for `command`. */
export async function updateRemote(client: Client, remote: SavedRemote, basedOn: number | undefined): Promise<void> {
  await client.command('update_remote_schema', JSON.stringify(remote), { basedOn });
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
  const drop = before === undefined ? [] : [{ type: 'drop_remote_schema_permissions' as const, args: target }];
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
