/** Queries of sources and tables, refetched when the metadata changes. */
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { readSources, readTableInfo, type Sources, type TableName } from './sources-api.ts';

export function useSources() {
  return useSourcesQuery(sourcesOf);
}

/** Resource version of the metadata that `useSources` has read. */
export function useSourcesVersion(): number | undefined {
  return useSourcesQuery(versionOf).data;
}

const sourcesOf = ({ sources }: Sources) => sources;
const versionOf = ({ version }: Sources) => version;

function useSourcesQuery<Selected>(select: (read: Sources) => Selected) {
  const client = useClient();
  return useQuery({ queryKey: ['metadata', 'sources'], queryFn: ({ signal }) => readSources(client, signal), select });
}

export function useTableInfo(source: string, { schema, name }: TableName) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'table-info', source, schema, name],
    queryFn: ({ signal }) => readTableInfo(client, source, { schema, name }, signal),
  });
}
