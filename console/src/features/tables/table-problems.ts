/** Reasons why tracked tables are inconsistent. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../api/context.ts';
import { readInconsistencies, reasonOf } from '../../api/inconsistencies.ts';
import { type TableName, tableKey, tableLabel } from '../../shared/sources/table-paths.ts';

const none: ReadonlyMap<string, string> = new Map();

/** Returns the reason by `tableKey`, for the inconsistent tables of a source. Undefined while loading, empty where they cannot be read. */
export function useTableProblems(source: string): ReadonlyMap<string, string> | undefined {
  const client = useClient();
  const { data, isError } = useQuery({
    queryKey: ['metadata', 'source-inconsistencies'],
    queryFn: ({ signal }) => readInconsistencies(client, signal),
  });
  return useMemo(() => (isError ? none : data && problemsOf(data, source)), [data, isError, source]);
}

function problemsOf(objects: readonly InconsistentObject[], source: string): ReadonlyMap<string, string> {
  const tables = objects.filter(({ type }) => type === 'table');
  return new Map(
    tables.flatMap((object) => {
      const table = object.definition as TableName;
      return object.name === `table ${tableLabel(table)} in source ${source}`
        ? [[tableKey(table), reasonOf(object)] as const]
        : [];
    }),
  );
}
