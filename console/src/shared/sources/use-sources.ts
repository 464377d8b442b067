/** Queries of sources and tables, refetched when the metadata changes. */
import type { MetadataExport } from '@joinery/metadata/api/metadata';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { useMetadata, versionOf } from '../../api/metadata.ts';
import { readFunctions, readTableInfo, type SourceEntry, type TableName } from './sources-api.ts';

export function useSources() {
  return useMetadata(sourcesOf);
}

/** Resource version of the metadata that `useSources` has read. */
export function useSourcesVersion(): number | undefined {
  return useMetadata(versionOf).data;
}

function sourcesOf({ metadata }: MetadataExport): readonly SourceEntry[] {
  return metadata.sources.map((source) => ({ ...source, tables: source.tables ?? [] }));
}

/** Queries the functions that return rows of a table. Nothing while `source` is undefined. */
export function useSourceFunctions(source: string | undefined) {
  const client = useClient();
  return useQuery({
    queryKey: ['metadata', 'source-functions', source],
    enabled: source !== undefined,
    queryFn: ({ signal }) => readFunctions(client, source ?? '', signal),
  });
}

/** Queries nothing while `table` is undefined. */
export function useTableInfo(source: string, table: TableName | undefined) {
  const client = useClient();
  const { schema, name } = table ?? { schema: '', name: '' };
  return useQuery({
    queryKey: ['metadata', 'table-info', source, schema, name],
    enabled: table !== undefined,
    queryFn: ({ signal }) => readTableInfo(client, source, { schema, name }, signal),
  });
}
