/** The list of remote schemas. */
import { Button, Stack, Text } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import { linkTo, navigate } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { RemoteSchemaStatus } from './remote-schema-status.tsx';
import type { RemoteSchema } from './remotes-api.ts';
import { useRemotes } from './use-remotes.ts';

const columns: readonly [Column<RemoteSchema>, ...Column<RemoteSchema>[]] = [
  { key: 'name', header: 'Name', width: '13rem', cell: ({ name }) => name },
  {
    key: 'address',
    header: 'Address',
    ownLine: true,
    cell: ({ definition }) => (
      <Text size="sm" truncate title={addressOf(definition)}>
        {addressOf(definition)}
      </Text>
    ),
  },
  {
    key: 'state',
    header: 'State',
    width: '8rem',
    cell: ({ state }) => state !== undefined && <RemoteSchemaStatus status={state.status} />,
  },
  {
    key: 'read',
    header: 'Read at',
    width: '14rem',
    cell: ({ state }) => (state?.read_at ? <Timestamp at={state.read_at} /> : 'never'),
  },
  {
    key: 'roles',
    header: 'Roles',
    width: '10rem',
    cell: ({ permissions = [] }) => permissions.map(({ role }) => role).join(', ') || 'no permissions',
  },
];

function addressOf({ url, url_from_env: variable }: RemoteSchema['definition']): string {
  return url ?? `the value of ${variable}`;
}

export function RemotesPage() {
  const { data, error, refetch } = useRemotes();
  return (
    <>
      <PageHeader
        title="Remote schemas"
        about="Other GraphQL services whose fields are part of the schema."
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo('/remotes/new')}>
            Add a remote schema
          </Button>
        }
      />
      <Stack mt="lg">
        {error !== null && (
          <FailureNotice title="The remote schemas could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined && error === null && <Loading />}
        {data?.remotes.length === 0 && (
          <EmptyState
            title="There is no remote schema"
            action={
              <Button component="a" variant="light" mt="xs" {...linkTo('/remotes/new')}>
                Add a remote schema
              </Button>
            }
          >
            Add a GraphQL service: its queries and mutations become fields, and tables and actions can be joined to
            them.
          </EmptyState>
        )}
        {data !== undefined && data.remotes.length > 0 && (
          <DataTable
            label="Remote schemas"
            rows={data.remotes}
            columns={columns}
            keyOf={({ name }) => name}
            onOpen={({ name }) => navigate(`/remotes/of/${encodeURIComponent(name)}`)}
          />
        )}
      </Stack>
    </>
  );
}
