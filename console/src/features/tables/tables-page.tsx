/** The tables and views of a source. */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { linkTo } from '../../router/location.ts';
import { readSourceTables } from '../../shared/sources/sources-api.ts';
import { sourcePath } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { listTables } from './table-list.ts';
import { useTableProblems } from './table-problems.ts';
import { TableRows } from './tables-list.tsx';

export function TablesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { source = '' } = params;
  const sources = useSources();
  const found = useQuery({
    queryKey: ['metadata', 'source-tables', source],
    queryFn: ({ signal }) => readSourceTables(client, source, signal),
  });
  const entries = sources.data?.find((one) => one.name === source)?.tables;
  const problems = useTableProblems(source);
  const tables = useMemo(
    () =>
      found.data === undefined || sources.data === undefined
        ? undefined
        : listTables(found.data, entries ?? [], problems),
    [found.data, sources.data, entries, problems],
  );
  const error = found.error ?? sources.error;
  return (
    <>
      <PageHeader
        title={source === 'default' ? 'Tables' : `Tables of ${source}`}
        about="Tables and views of the database. Those that are tracked are part of the GraphQL schema."
        back={{ to: '/data', label: 'Sources' }}
        actions={
          <Group gap="xs">
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/diagram`)}>
              Diagram
            </Button>
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/functions`)}>
              Functions
            </Button>
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/enum-types`)}>
              Enum types
            </Button>
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/native-queries`)}>
              Native queries
            </Button>
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/settings`)}>
              Source settings
            </Button>
            <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo(`${sourcePath(source)}/new-table`)}>
              Create a table
            </Button>
          </Group>
        }
      />
      {error !== null && (
        <FailureNotice
          title="The tables could not be read"
          failure={toFailure(error)}
          onRetry={() => {
            void found.refetch();
            void sources.refetch();
          }}
        />
      )}
      {tables === undefined ? error === null && <Loading /> : <TableRows source={source} tables={tables} />}
    </>
  );
}
