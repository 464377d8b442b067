/** The tables and views of a source. */
import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { linkTo } from '../router/place.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { Loading } from '../show/loading.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { readSourceTables } from './data-api.ts';
import { tableKey, tableLabel, tablePath } from './table-paths.ts';

export function TablesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { source = '' } = params;
  const { data, error, refetch } = useQuery({
    queryKey: ['metadata', 'source-tables', source],
    queryFn: ({ signal }) => readSourceTables(client, source, signal),
  });
  return (
    <>
      <PageHeader title={`Tables of ${source}`} back={{ to: '/data', label: 'Sources' }} />
      <Stack>
        {error !== null && (
          <FailureNotice title="The tables could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined && error === null && <Loading />}
        {data?.map((table) => (
          <Anchor key={tableKey(table)} {...linkTo(tablePath(source, table))}>
            {tableLabel(table)}
          </Anchor>
        ))}
      </Stack>
    </>
  );
}
