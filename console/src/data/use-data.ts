/** Sources and tables, read again when something changes the metadata. */
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../api/context.ts';
import { readSources, readTableInfo, type TableName } from './data-api.ts';

export function useSources() {
  const client = useClient();
  return useQuery({ queryKey: ['metadata', 'sources'], queryFn: ({ signal }) => readSources(client, signal) });
}

export function useTableInfo(source: string, { schema, name }: TableName) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'table-info', source, schema, name],
    queryFn: ({ signal }) => readTableInfo(client, source, { schema, name }, signal),
  });
}
