/** Remote schemas as they were read last, and what one of them offers. */
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { readRemoteSchema, readRemotes } from './remotes-api.ts';

const PAUSE_MS = 15_000;

/** Read again from time to time: the service finds out by itself that one is away, or back. */
export function useRemotes() {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'remotes'],
    queryFn: ({ signal }) => readRemotes(client, signal),
    refetchInterval: PAUSE_MS,
  });
}

/** `readAt` is when the service read it: another one makes it be read anew here, while what was read before still stands. */
export function useRemoteSchema(name: string, readAt: string | null | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'remote-schema', name, readAt],
    queryFn: ({ signal }) => readRemoteSchema(client, name, signal),
    placeholderData: (before, query) => (query?.queryKey[2] === name ? before : undefined),
  });
}
