/** Queries of remote schemas. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import type { RemoteSchemaStatuses } from '@joinery/metadata/api/remote-schemas';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../api/context.ts';
import { useMetadata, wholeExport } from '../../api/metadata.ts';
import { type Remotes, remotesOf } from './remotes-api.ts';

const PAUSE_MS = 15_000;

/** Polls, because the service detects outages by itself. */
export function useRemotes() {
  const client = useClient();
  const metadata = useMetadata(wholeExport, PAUSE_MS);
  const statuses = useQuery({
    queryKey: ['metadata', 'remote-schema-status'],
    queryFn: ({ signal }) => client.command('get_remote_schema_status', {}, { signal }),
    refetchInterval: PAUSE_MS,
  });
  const data = useMemo(() => combined(metadata.data, statuses.data), [metadata.data, statuses.data]);
  const refetch = async () => {
    const [read, known] = await Promise.all([metadata.refetch(), statuses.refetch()]);
    return { data: combined(read.data, known.data) };
  };
  return { data, error: metadata.error ?? statuses.error, refetch };
}

function combined(read: MetadataExport | undefined, statuses: RemoteSchemaStatuses | undefined): Remotes | undefined {
  return read && statuses && remotesOf(read, statuses);
}
