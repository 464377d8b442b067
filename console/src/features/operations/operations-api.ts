/** Commands on stored operations, allow list, REST endpoints, limits and recent errors. All functions throw Failure. */
import type { Client } from '../../api/client.ts';
import { exportMetadata, readConfiguration } from '../../api/metadata.ts';
import { type Timed, timed } from '../../api/polling.ts';

export interface StoredOperation {
  readonly name: string;
  readonly query: string;
}

export interface Collection {
  readonly name: string;
  readonly comment?: string | null;
  readonly definition: { readonly queries: readonly StoredOperation[] };
}

export interface Allowed {
  readonly collection: string;
  /** Undefined for all roles. */
  readonly scope?: { readonly global: boolean; readonly roles?: readonly string[] };
}

export interface Endpoint {
  readonly name: string;
  /** Path below `/api/rest/`. Segments that start with a colon are variables. */
  readonly url: string;
  readonly methods: readonly string[];
  readonly definition: { readonly query: { readonly collection_name: string; readonly query_name: string } };
  /** Permits mutations with GET. */
  readonly allow_get_mutation?: boolean;
  readonly comment?: string | null;
}

export interface Operations {
  readonly query_collections: readonly Collection[];
  readonly allowlist: readonly Allowed[];
  readonly rest_endpoints: readonly Endpoint[];
  readonly api_limits: Readonly<Record<string, unknown>> | undefined;
  /** Roles that cannot introspect the schema. */
  readonly hidden_from: readonly string[];
  /** Resource version of the metadata. */
  readonly version: number;
}

interface ExportedOperations extends Partial<Omit<Operations, 'hidden_from' | 'version'>> {
  readonly graphql_schema_introspection?: { readonly disabled_for_roles?: readonly string[] };
}

export async function readOperations(client: Client, signal: AbortSignal): Promise<Operations> {
  const exported = await exportMetadata(client, signal);
  const metadata = exported.metadata as ExportedOperations;
  return {
    version: exported.resource_version,
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

export interface RejectedRequest {
  /** ISO 8601. */
  readonly time: string;
  readonly request_id: string;
  readonly role: string | null;
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

export interface RecentErrors {
  /** Counts by code since the start of the node. */
  readonly counts: Readonly<Record<string, number>>;
  /** The latest first. */
  readonly requests: readonly RejectedRequest[];
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
