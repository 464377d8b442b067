/** Queries of remote schemas. */
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { readRemoteSchema, readRemotes } from './remotes-api.ts';

const PAUSE_MS = 15_000;

/** Polls, because the service detects outages by itself. */
export function useRemotes() {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'remotes'],
    queryFn: ({ signal }) => readRemotes(client, signal),
    refetchInterval: PAUSE_MS,
  });
}

/** Reads a schema. Another `readAt`, the time of the introspection, refetches it while the previous one is shown. */
export function useRemoteSchema(name: string, readAt: string | null | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'remote-schema', name, readAt],
    queryFn: ({ signal }) => readRemoteSchema(client, name, signal),
    placeholderData: (before, query) => (query?.queryKey[2] === name ? before : undefined),
  });
}
