/** Writes the configuration of a table and tells that it did. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../api/context.ts';
import { useNotice } from '../show/notices.tsx';
import { setConfiguration, type TableConfiguration } from './data-api.ts';
import type { TableName } from './table-paths.ts';

export function useConfiguration(source: string, table: TableName, title: string, onDone: () => void) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  return useMutation({
    mutationFn: (configuration: TableConfiguration) => setConfiguration(client, source, table, configuration),
    onSuccess: () => {
      tell({ title });
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
}
