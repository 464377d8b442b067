/** The tables of all sources: those of the metadata at once, the others of the databases when they are read. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../api/context.ts';
import { readSourceTables } from '../../shared/sources/sources-api.ts';
import { type TableName, tableKey } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import type { TreeSource, TreeTable } from './table-tree.ts';

interface TreeSources {
  /** Undefined until the metadata are read. */
  readonly sources: readonly TreeSource[] | undefined;
  readonly error: Error | null;
}

export function useTreeSources(): TreeSources {
  const client = useClient();
  const { data, error } = useSources();
  const found = useQueries({
    queries: (data ?? []).map(({ name }) => ({
      queryKey: ['metadata', 'source-tables', name],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readSourceTables(client, name, signal),
    })),
    combine: tablesOfAll,
  });
  const sources = useMemo(
    () =>
      data?.map(({ name, tables }, index) => ({
        name,
        tables: withUntracked(
          tables.map(({ table }) => table),
          found[index] ?? [],
        ),
      })),
    [data, found],
  );
  return { sources, error };
}

function tablesOfAll(
  results: readonly { readonly data?: readonly TableName[] | undefined }[],
): readonly (readonly TableName[])[] {
  return results.map(({ data = [] }) => data);
}

function withUntracked(tracked: readonly TableName[], found: readonly TableName[]): readonly TreeTable[] {
  const keys = new Set(tracked.map(tableKey));
  return [
    ...tracked.map((table) => ({ table, isTracked: true })),
    ...found.filter((table) => !keys.has(tableKey(table))).map((table) => ({ table, isTracked: false })),
  ];
}
