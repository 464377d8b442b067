/** Remote schemas as the metadata API has them. Every function throws Failure. */
import { buildClientSchema, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import type { Client } from '../api/client.ts';
import type { ShownHeader } from '../events/event-api.ts';
import type { JoinDefinition } from '../joins/join-text.ts';

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

/** As exports have it: what is as usual is left out. */
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
  readonly relationships: readonly { readonly name: string; readonly definition: JoinDefinition }[];
}

interface WrittenRemote {
  readonly name: string;
  readonly definition: RemoteDefinition;
  readonly comment?: string | null;
  readonly permissions?: readonly RemotePermission[];
  readonly remote_relationships?: readonly TypeJoins[];
}

/** Whether what it offers is known as of now, from before, or not at all. */
export interface RemoteStatus {
  readonly name: string;
  readonly status: 'current' | 'stale' | 'unavailable';
  /** ISO 8601; null where it was never read. */
  readonly read_at: string | null;
  readonly problem?: { readonly code: string; readonly message: string };
}

export interface RemoteSchema extends WrittenRemote {
  /** Undefined where nothing is told. */
  readonly state: RemoteStatus | undefined;
}

export interface Remotes {
  readonly remotes: readonly RemoteSchema[];
  /** All of the metadata, as they were exported. */
  readonly exported: unknown;
}

export async function readRemotes(client: Client, signal: AbortSignal): Promise<Remotes> {
  const [exported, told] = await Promise.all([
    client.command<{ readonly remote_schemas?: readonly WrittenRemote[] }>('export_metadata', {}, signal),
    client.command<{ readonly remote_schemas: readonly RemoteStatus[] }>('get_remote_schema_status', {}, signal),
  ]);
  const known = new Map(told.remote_schemas.map((one) => [one.name, one]));
  const remotes = (exported.remote_schemas ?? []).map((one) => ({ ...one, state: known.get(one.name) }));
  return { remotes, exported };
}

/** What it offers, in its own names. */
export async function readRemoteSchema(client: Client, name: string, signal?: AbortSignal): Promise<GraphQLSchema> {
  const { data } = await client.command<{ data: IntrospectionQuery }>('introspect_remote_schema', { name }, signal);
  return buildClientSchema(data);
}

interface SavedRemote {
  readonly name: string;
  readonly definition: object;
  readonly comment: string | null;
}

export async function saveRemote(client: Client, remote: SavedRemote, isNew: boolean): Promise<void> {
  await client.command(isNew ? 'add_remote_schema' : 'update_remote_schema', remote);
}

export async function reloadRemote(client: Client, name: string): Promise<void> {
  await client.command('reload_remote_schema', { name });
}

/** `cascade`: with what leads to it. */
export async function removeRemote(client: Client, name: string, cascade: boolean): Promise<void> {
  await client.command('remove_remote_schema', { name, cascade });
}

/** `schema`: SDL of what the role sees. `before`: what it saw, undefined where that is nothing. */
export async function saveRemotePermission(
  client: Client,
  remote: string,
  role: string,
  schema: string,
  before: RemotePermission | undefined,
): Promise<void> {
  const target = { remote_schema: remote, role };
  const comment = before?.comment ?? undefined;
  await client.command('bulk', [
    ...(before === undefined ? [] : [{ type: 'drop_remote_schema_permissions', args: target }]),
    {
      type: 'add_remote_schema_permissions',
      args: { ...target, definition: { schema }, ...(comment !== undefined && { comment }) },
    },
  ]);
}

export async function dropRemotePermission(client: Client, remote: string, role: string): Promise<void> {
  await client.command('drop_remote_schema_permissions', { remote_schema: remote, role });
}

/** `definition` is JSON text. `before`: the name of the relationship that is changed; undefined for a new one. */
export async function saveTypeJoin(
  client: Client,
  at: { readonly remote_schema: string; readonly type_name: string },
  name: string,
  definition: string,
  before: string | undefined,
): Promise<void> {
  const args = `${JSON.stringify({ ...at, name }).slice(0, -1)},"definition":${definition}}`;
  if (before === name) {
    await client.command('update_remote_schema_remote_relationship', args);
    return;
  }
  const creation = `{"type":"create_remote_schema_remote_relationship","args":${args}}`;
  const deletion =
    before === undefined
      ? ''
      : `${JSON.stringify({ type: 'delete_remote_schema_remote_relationship', args: { ...at, name: before } })},`;
  await client.command('bulk', `[${deletion}${creation}]`);
}

export async function dropTypeJoin(client: Client, remote: string, type: string, name: string): Promise<void> {
  const args = { remote_schema: remote, type_name: type, name };
  await client.command('delete_remote_schema_remote_relationship', args);
}
