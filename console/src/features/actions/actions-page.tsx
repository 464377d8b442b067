/** The list of actions with signatures, handlers and roles. */
import { Button, Stack, Tabs, Text } from '@mantine/core';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { useMetadata } from '../../api/metadata.ts';
import { linkTo, navigate, updateSearch, useLocation } from '../../router/location.ts';
import { knownNames } from '../../shared/roles/known-names.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import tabClasses from '../../ui/page/tabs.module.css';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { actionPath } from './action-paths.ts';
import { type Action, type ActionsMetadata, actionsOf } from './actions-api.ts';
import { PermissionGrid } from './permissions/permission-grid.tsx';
import { signatureOf } from './sdl/action-types.ts';

const columns: readonly [Column<Action>, ...Column<Action>[]] = [
  { key: 'name', header: 'Name', width: '13rem', cell: ({ name }) => name },
  {
    key: 'signature',
    header: 'Signature',
    ownLine: true,
    cell: (action) => (
      <Text span size="sm" ff="monospace" title={signatureOf(action)}>
        {signatureOf(action)}
      </Text>
    ),
  },
  { key: 'type', header: 'Type', width: '7rem', cell: ({ definition }) => definition.type ?? 'mutation' },
  {
    key: 'handler',
    header: 'Handler',
    ownLine: true,
    cell: ({ definition }) => (
      <Text size="sm" truncate title={definition.handler}>
        {definition.handler}
      </Text>
    ),
  },
  {
    key: 'roles',
    header: 'Roles',
    width: '10rem',
    cell: ({ permissions = [] }) => permissions.map(({ role }) => role).join(', ') || 'admin alone',
  },
];

/** Queries actions, refetched when the metadata changes. */
export function useActions() {
  return useMetadata(actionsOf);
}

export function ActionsPage() {
  const { data, error, refetch } = useActions();
  return (
    <>
      <PageHeader
        title="Actions"
        about="Queries and mutations that a REST endpoint implements, joined to tables."
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo('/actions/new')}>
            Create an action
          </Button>
        }
      />
      <Stack mt="lg">
        {error !== null && (
          <FailureNotice title="The actions could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined ? error === null && <Loading /> : <ActionList {...data} />}
      </Stack>
    </>
  );
}

function ActionList({ actions, exported }: ActionsMetadata) {
  const { headerPrefix } = useClient();
  const { search } = useLocation();
  if (actions.length === 0) {
    return (
      <EmptyState
        title="There is no action"
        action={
          <Button component="a" variant="light" mt="xs" {...linkTo('/actions/new')}>
            Create an action
          </Button>
        }
      >
        An action adds a field to the schema that your REST endpoint resolves.
      </EmptyState>
    );
  }
  const tab = search.get('tab') === 'permissions' ? 'permissions' : 'list';
  return (
    <Tabs
      value={tab}
      onChange={(chosen) => updateSearch({ tab: chosen === 'permissions' ? chosen : undefined })}
      keepMounted={false}
    >
      <Tabs.List className={tabClasses.list ?? ''} aria-label="Actions">
        <Tabs.Tab value="list" className={tabClasses.tab ?? ''}>
          All actions<span className={tabClasses.count}>{actions.length}</span>
        </Tabs.Tab>
        <Tabs.Tab value="permissions" className={tabClasses.tab ?? ''}>
          Permissions
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="list" pt="md">
        <DataTable
          label="Actions"
          rows={actions}
          columns={columns}
          keyOf={({ name }) => name}
          onOpen={({ name }) => navigate(actionPath(name))}
        />
      </Tabs.Panel>
      <Tabs.Panel value="permissions" pt="md">
        <PermissionGrid actions={actions} roles={knownNames(exported, headerPrefix).roles} />
      </Tabs.Panel>
    </Tabs>
  );
}
