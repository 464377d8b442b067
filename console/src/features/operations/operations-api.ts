/** Commands on stored operations, allow list, REST endpoints, limits and recent errors. All functions throw Failure. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import type { RecentErrors } from '@joinery/metadata/api/recent-errors';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import type { Client } from '../../api/client.ts';
import { readConfiguration } from '../../api/metadata.ts';
import { type Timed, timed } from '../../api/polling.ts';

export type Collection = NonNullable<ExportedMetadata['query_collections']>[number];
export type StoredOperation = Collection['definition']['queries'][number];
export type Allowed = NonNullable<ExportedMetadata['allowlist']>[number];
export type Endpoint = NonNullable<ExportedMetadata['rest_endpoints']>[number];

export interface Operations {
  readonly query_collections: readonly Collection[];
  readonly allowlist: readonly Allowed[];
  readonly rest_endpoints: readonly Endpoint[];
  readonly api_limits: ExportedMetadata['api_limits'];
  /** Roles that cannot introspect the schema. */
  readonly hidden_from: readonly string[];
  /** Resource version of the metadata. */
  readonly version: number;
}

/** For `useMetadata`. */
export function operationsOf({ metadata, resource_version: version }: MetadataExport): Operations {
  return {
    version,
    query_collections: metadata.query_collections ?? [],
    allowlist: metadata.allowlist ?? [],
    rest_endpoints: metadata.rest_endpoints ?? [],
    api_limits: metadata.api_limits,
    hidden_from: metadata.graphql_schema_introspection?.disabled_for_roles ?? [],
  };
}

/** Whether the allow list is enforced for roles other than admin. */
export async function isAllowListInForce(client: Client, signal: AbortSignal): Promise<boolean> {
  const settings = await readConfiguration(client, signal);
  return settings.find(({ name }) => name === 'JOINERY_ENABLE_ALLOWLIST')?.value === 'true';
}

export async function createCollection(client: Client, name: string): Promise<void> {
  await client.command('create_query_collection', { name, definition: { queries: [] } });
}

export async function dropCollection(client: Client, collection: string): Promise<void> {
  await client.command('drop_query_collection', { collection, cascade: true });
}

export async function addOperation(
  client: Client,
  collection: string,
  { name, query }: StoredOperation,
): Promise<void> {
  await client.command('add_query_to_collection', { collection_name: collection, query_name: name, query });
}

export async function dropOperation(client: Client, collection: string, name: string): Promise<void> {
  await client.command('drop_query_from_collection', { collection_name: collection, query_name: name });
}

export async function setAllowed(client: Client, collection: string, allowed: boolean): Promise<void> {
  const type = allowed ? 'add_collection_to_allowlist' : 'drop_collection_from_allowlist';
  await client.command(type, { collection });
}

export async function createEndpoint(client: Client, endpoint: Endpoint): Promise<void> {
  await client.command('create_rest_endpoint', endpoint);
}

export async function dropEndpoint(client: Client, name: string): Promise<void> {
  await client.command('drop_rest_endpoint', { name });
}

/**
 * Sets the limits. `text` is the JSON argument of `set_api_limits`. Fails with a conflict unless the metadata has this
 * `version`.
 */
export async function setLimits(client: Client, text: string, version: number | undefined): Promise<void> {
  await client.command('set_api_limits', text, { basedOn: version });
}

export async function removeLimits(client: Client): Promise<void> {
  await client.command('remove_api_limits', {});
}

/** Reads recent errors. `code` undefined for all. */
export function readRecentErrors(
  client: Client,
  code: string | undefined,
  signal: AbortSignal,
): Promise<Timed<RecentErrors>> {
  const args = { limit: 100, ...(code !== undefined && { code }) };
  return timed(client.command('get_refused_requests', args, { signal }));
}
