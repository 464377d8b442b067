/** The page of a remote schema: settings, schema, permissions and relationships. */
import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate, updateSearch, useLocation } from '../../router/location.ts';
import { readRemoteSchema, useRemoteSchema } from '../../shared/remote-fields/use-remote-schema.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { counted, sentence } from '../../ui/format.ts';
import { RefreshIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import tabClasses from '../../ui/page/tabs.module.css';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { PermissionsTab } from './permissions/permissions-tab.tsx';
import { RelationshipsTab } from './relationships-tab.tsx';
import { RemoteForm } from './remote-form.tsx';
import { RemoteSchemaStatus } from './remote-schema-status.tsx';
import classes from './remotes.module.css';
import { type RemoteSchema, reloadRemote, removeRemote } from './remotes-api.ts';
import { changesBetween, partsOf, searchParts } from './schema-parts.ts';
import { useRemotes } from './use-remotes.ts';

export function RemotePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { data, error, refetch } = useRemotes();
  const name = params.name ?? '';
  const remote = data?.remotes.find((one) => one.name === name);
  if (data !== undefined && remote !== undefined) return <Details remote={remote} exported={data.exported} />;
  return (
    <>
      <PageHeader title={name} back={back} />
      {error !== null && (
        <FailureNotice title="The remote schema could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <EmptyState title={`There is no remote schema “${name}”`}>It may have been removed or renamed.</EmptyState>
      )}
    </>
  );
}

const back = { to: '/remotes', label: 'Remote schemas' };

const tabs = {
  schema: 'Schema',
  permissions: 'Permissions',
  relationships: 'Relationships',
  settings: 'Settings',
} as const;
type Tab = keyof typeof tabs;

interface DetailsProps {
  readonly remote: RemoteSchema;
  readonly exported: unknown;
}

function Details({ remote, exported }: DetailsProps) {
  const { search } = useLocation();
  const wanted = search.get('tab') ?? 'schema';
  const tab: Tab = wanted in tabs ? (wanted as Tab) : 'schema';
  const joins = (remote.remote_relationships ?? []).reduce((sum, one) => sum + one.relationships.length, 0);
  const counts: Partial<Record<Tab, number>> = { permissions: remote.permissions?.length ?? 0, relationships: joins };
  return (
    <>
      <State remote={remote} />
      <Tabs
        mt="md"
        value={tab}
        onChange={(chosen) => updateSearch({ tab: chosen === 'schema' ? undefined : (chosen ?? undefined) })}
        keepMounted={false}
      >
        <Tabs.List className={tabClasses.list ?? ''} aria-label={remote.name}>
          {Object.entries(tabs).map(([value, label]) => (
            <Tabs.Tab key={value} value={value} className={tabClasses.tab ?? ''}>
              {label}
              {counts[value as Tab] !== undefined && <span className={tabClasses.count}>{counts[value as Tab]}</span>}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="schema" pt="md">
          <SchemaTab remote={remote} />
        </Tabs.Panel>
        <Tabs.Panel value="permissions" pt="md">
          <PermissionsTab remote={remote} exported={exported} />
        </Tabs.Panel>
        <Tabs.Panel value="relationships" pt="md">
          <RelationshipsTab remote={remote} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <RemoteForm remote={remote} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const SHOWN_CHANGES = 20;

function State({ remote }: { readonly remote: RemoteSchema }) {
  const client = useClient();
  const [removing, setRemoving] = useState(false);
  const { name, definition, state, comment } = remote;
  const reload = useCommand(
    async (client) => {
      const before = await readRemoteSchema(client, name).catch(() => undefined);
      await reloadRemote(client, name);
      return before === undefined ? [] : changesBetween(before, await readRemoteSchema(client, name));
    },
    {
      notice: (changes) => ({
        title: 'Remote schema read again',
        text: changes.length === 0 ? 'Its schema is unchanged.' : counted(changes.length, 'change'),
      }),
    },
  );
  const changes = reload.result ?? [];
  return (
    <>
      <PageHeader
        title={name}
        {...(comment && { about: comment })}
        back={back}
        actions={
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<RefreshIcon size={16} />}
              loading={reload.isPending}
              onClick={() => reload.run()}
            >
              Reload
            </Button>
            <Button variant="default" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          </Group>
        }
      />
      <Stack gap="sm" mt="sm">
        <Group gap="lg">
          {state !== undefined && <RemoteSchemaStatus status={state.status} />}
          {state?.read_at && (
            <Text size="sm" c="dimmed" component="span">
              Read <Timestamp at={state.read_at} />
            </Text>
          )}
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {definition.url ?? `The value of ${definition.url_from_env}`}
          </Text>
        </Group>
        {state?.problem !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)">
            {sentence(state.problem.message)}{' '}
            {state.status === 'stale'
              ? 'The cached schema is in use. The service retries every 30 seconds.'
              : 'Its fields are unavailable until it responds.'}
          </Text>
        )}
        {reload.failure !== undefined && <FailureNotice title="It was not read again" failure={reload.failure} />}
        {changes.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              Changes of its schema
            </Text>
            <ul className={classes.changes} aria-label="Changes">
              {changes.slice(0, SHOWN_CHANGES).map((change) => (
                <li key={change}>{change}</li>
              ))}
              {changes.length > SHOWN_CHANGES && <li>and {changes.length - SHOWN_CHANGES} more</li>}
            </ul>
          </div>
        )}
        <ConfirmDialog
          title={removing ? `Remove the remote schema ${name}?` : undefined}
          about="Removes its fields from the schema, and its permissions. Fails while relationships refer to it."
          confirm="Remove the remote schema"
          failed="The remote schema was not removed"
          perform={() => removeRemote(client, name, false)}
          onClose={() => setRemoving(false)}
          onDone={() => navigate('/remotes')}
        />
      </Stack>
    </>
  );
}

/** Maximum number of characters that are shown, for performance. */
const MAX_CHARACTERS = 200_000;

function SchemaTab({ remote }: { readonly remote: RemoteSchema }) {
  const { data, error, refetch } = useRemoteSchema(remote.name, remote.state?.read_at);
  const [search, setSearch] = useState('');
  const parts = useMemo(() => (data === undefined ? [] : partsOf(data)), [data]);
  const found = useMemo(() => searchParts(parts, search), [parts, search]);
  if (error !== null) {
    return <FailureNotice title="Its schema is unknown" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  const text = found.map(({ sdl }) => sdl).join('\n\n');
  return (
    <Stack gap="sm">
      <TextField
        label="Search"
        placeholder="Name of a type, field or argument"
        maw={420}
        value={search}
        onChange={setSearch}
      />
      <Text size="sm" c="dimmed" role="status">
        {search.trim() === ''
          ? `${counted(parts.length, 'type')}, in the names of the remote schema itself.`
          : `${counted(found.length, 'type')} of ${parts.length.toLocaleString('en')} with it.`}
      </Text>
      {found.length > 0 && (
        <JsonView plain what="SDL" text={text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n…` : text} />
      )}
    </Stack>
  );
}
