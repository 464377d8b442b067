/** Remote schemas: other GraphQL services whose fields stand beside those of the tables. */
import { Button, Code, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { ConfirmDialog } from '../show/confirm-dialog.tsx';
import { Empty } from '../show/empty.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { Light } from '../show/light.tsx';
import { Loading } from '../show/loading.tsx';
import { useNotice } from '../show/notices.tsx';
import { PageHeader } from '../show/page-header.tsx';
import {
  addRemote,
  listRemotes,
  type RemoteSchema,
  reloadRemote,
  removeRemote,
  setRemotePermission,
} from './remotes-api.ts';

export function RemotesPage() {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['metadata', 'remotes'],
    queryFn: ({ signal }) => listRemotes(client, signal),
  });
  return (
    <>
      <PageHeader
        title="Remote schemas"
        about="Other GraphQL services whose fields stand beside those of the tables."
      />
      <Stack mt="lg">
        {error !== null && (
          <FailureNotice title="The remote schemas could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined && error === null && <Loading />}
        {data?.length === 0 && (
          <Empty title="There is no remote schema">Add the address of a GraphQL service below.</Empty>
        )}
        {data?.map((remote) => (
          <RemoteCard key={remote.name} remote={remote} />
        ))}
        {data !== undefined && <AddForm />}
      </Stack>
    </>
  );
}

/** Does something to the metadata, and reads it again. */
function useChange(title: string, perform: () => Promise<void>, onDone?: () => void) {
  const queries = useQueryClient();
  const tell = useNotice();
  return useMutation({
    mutationFn: perform,
    onSuccess: () => {
      tell({ title });
      onDone?.();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
}

function AddForm() {
  const client = useClient();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const { mutate, error, isPending } = useChange(
    'Remote schema added',
    () => addRemote(client, name.trim(), url.trim()),
    () => {
      setName('');
      setUrl('');
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <Paper withBorder p="md" maw={720} bg="var(--joinery-surface)">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="URL"
            description="May contain {{NAME}} for a variable of the service's environment."
            placeholder="https://carrier.example.com/graphql"
            autoComplete="off"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          {error !== null && <FailureNotice title="The remote schema was not added" failure={toFailure(error)} />}
          <Group>
            <Button type="submit" loading={isPending} disabled={name.trim() === '' || url.trim() === ''}>
              Add the remote schema
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

const tones = { current: 'good', stale: 'waiting', unavailable: 'bad' } as const;

function RemoteCard({ remote }: { readonly remote: RemoteSchema }) {
  const client = useClient();
  const [removing, setRemoving] = useState(false);
  const { name, definition, status, permissions = [] } = remote;
  const reload = useChange('Remote schema read again', () => reloadRemote(client, name));
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={name}>
      <Group justify="space-between" mb="xs">
        <div>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {definition.url ?? `the value of ${definition.url_from_env}`}
          </Text>
        </div>
        {status !== undefined && <Light tone={tones[status]}>{status}</Light>}
      </Group>
      <Group gap="xs">
        <Button size="xs" variant="default" loading={reload.isPending} onClick={() => reload.mutate()}>
          Reload
        </Button>
        <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
          Remove
        </Button>
      </Group>
      {reload.error !== null && <FailureNotice title="It was not read again" failure={toFailure(reload.error)} />}
      <Text size="sm" fw={600} mt="md" mb={4}>
        Permissions
      </Text>
      {permissions.map(({ role, definition: { schema } }) => (
        <Permission key={role} name={name} role={role} schema={schema} />
      ))}
      <NewPermission name={name} />
      <ConfirmDialog
        title={removing ? `Remove the remote schema ${name}?` : undefined}
        about="Its fields leave the schema, and its permissions are gone."
        confirm="Remove the remote schema"
        failed="The remote schema was not removed"
        perform={() => removeRemote(client, name)}
        onClose={() => setRemoving(false)}
        onDone={() => setRemoving(false)}
      />
    </Paper>
  );
}

interface PermissionProps {
  readonly name: string;
  readonly role: string;
  readonly schema: string;
}

function Permission({ name, role, schema }: PermissionProps) {
  const client = useClient();
  const { mutate, error, isPending } = useChange('Permission taken away', () =>
    setRemotePermission(client, name, role, undefined),
  );
  return (
    <Stack gap={6} mb="sm">
      <Group gap="xs">
        <Text size="sm">{role}</Text>
        <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate()}>
          Take away
        </Button>
      </Group>
      <Code block>{schema}</Code>
      {error !== null && <FailureNotice title="The permission was not changed" failure={toFailure(error)} />}
    </Stack>
  );
}

function NewPermission({ name }: { readonly name: string }) {
  const client = useClient();
  const [role, setRole] = useState('');
  const [schema, setSchema] = useState('');
  const { mutate, error, isPending } = useChange(
    'Permission given',
    () => setRemotePermission(client, name, role.trim(), schema),
    () => {
      setRole('');
      setSchema('');
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" align="stretch" maw={640}>
        <TextInput
          label="Role"
          size="xs"
          autoComplete="off"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value)}
        />
        <Textarea
          label="What it sees, as SDL"
          size="xs"
          autosize
          minRows={2}
          spellCheck={false}
          value={schema}
          onChange={(event) => setSchema(event.currentTarget.value)}
        />
        {error !== null && <FailureNotice title="The permission was not given" failure={toFailure(error)} />}
        <Group>
          <Button
            type="submit"
            size="xs"
            variant="default"
            loading={isPending}
            disabled={role.trim() === '' || schema.trim() === ''}
          >
            Give the permission
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
