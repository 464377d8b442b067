/** Remote schemas as the metadata API has them. Every function throws Failure. */
import type { Client } from '../api/client.ts';

export interface RemoteSchema {
  readonly name: string;
  readonly definition: { readonly url?: string; readonly url_from_env?: string };
  readonly permissions?: readonly { readonly role: string; readonly definition: { readonly schema: string } }[];
  /** Whether what it offers is known as of now, from before, or not at all; undefined where nothing is told. */
  readonly status: 'current' | 'stale' | 'unavailable' | undefined;
}

interface Exported {
  readonly remote_schemas?: readonly Omit<RemoteSchema, 'status'>[];
}

interface Told {
  readonly remote_schemas: readonly { readonly name: string; readonly status: RemoteSchema['status'] }[];
}

export async function listRemotes(client: Client, signal: AbortSignal): Promise<readonly RemoteSchema[]> {
  const [exported, told] = await Promise.all([
    client.command<Exported>('export_metadata', {}, signal),
    client.command<Told>('get_remote_schema_status', {}, signal),
  ]);
  const known = new Map(told.remote_schemas.map((one) => [one.name, one.status]));
  return (exported.remote_schemas ?? []).map((one) => ({ ...one, status: known.get(one.name) }));
}

export async function addRemote(client: Client, name: string, url: string): Promise<void> {
  await client.command('add_remote_schema', { name, definition: { url } });
}

export async function reloadRemote(client: Client, name: string): Promise<void> {
  await client.command('reload_remote_schema', { name });
}

export async function removeRemote(client: Client, name: string): Promise<void> {
  await client.command('remove_remote_schema', { name });
}

/** `schema`: SDL of what the role sees; undefined takes the permission away. */
export async function setRemotePermission(
  client: Client,
  name: string,
  role: string,
  schema: string | undefined,
): Promise<void> {
  if (schema === undefined) await client.command('drop_remote_schema_permissions', { remote_schema: name, role });
  else await client.command('add_remote_schema_permissions', { remote_schema: name, role, definition: { schema } });
}
