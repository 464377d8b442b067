/** The schema of a remote schema. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { buildClientSchema, type GraphQLSchema } from 'graphql';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';

/** Reads the schema with its original names. Throws Failure. */
export async function readRemoteSchema(client: Client, name: string, signal?: AbortSignal): Promise<GraphQLSchema> {
  const { data } = await client.command('introspect_remote_schema', { name }, { signal });
  return buildClientSchema(data);
}

export function remoteSchemaQuery(client: Client, name: string | undefined, readAt?: string | null) {
  return queryOptions({
    queryKey: ['metadata', 'remote-schema', name, readAt],
    queryFn: ({ signal }) => readRemoteSchema(client, name ?? '', signal),
  });
}

/**
 * Reads a schema, or nothing without a name. Another `readAt`, the time of the introspection, refetches it while the
 * previous one is shown.
 */
export function useRemoteSchema(name: string | undefined, readAt?: string | null) {
  const client = useClient();
  return useQuery({
    ...remoteSchemaQuery(client, name, readAt),
    enabled: name !== undefined,
    placeholderData: (before, query) => (query?.queryKey[2] === name ? before : undefined),
  });
}
