/** One action: what it is, what its answer is joined to, who may call it. */
import { ActionIcon, Anchor, Button, Code, Group, Paper, Pill, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { go, linkTo } from '../router/place.ts';
import { ConfirmDialog } from '../show/confirm-dialog.tsx';
import { CopyButton } from '../show/copy-button.tsx';
import { Empty } from '../show/empty.tsx';
import { Facts } from '../show/facts.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { CrossIcon, PlusIcon } from '../show/icons.tsx';
import { Loading } from '../show/loading.tsx';
import { useNotice } from '../show/notices.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { Part } from '../show/part.tsx';
import classes from './actions.module.css';
import {
  type Action,
  type ActionsMetadata,
  dropAction,
  dropRelationship,
  type ObjectType,
  type Relationship,
  setPermission,
} from './actions-api.ts';
import { useActions } from './actions-page.tsx';
import { type EditedRelationship, RelationshipDrawer } from './relationship-form.tsx';
import { describeRelationship, isTableRelationship, outputTypes, signatureOf } from './types-of.ts';

export function ActionPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { data, error, refetch } = useActions();
  const name = params.name ?? '';
  const action = data?.actions.find((one) => one.name === name);
  return (
    <>
      <PageHeader title={name} back={{ to: '/actions', label: 'Actions' }} />
      {error !== null && (
        <FailureNotice title="The action could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && action === undefined && (
        <Empty title={`There is no action “${name}”`}>It may have been dropped or renamed.</Empty>
      )}
      {data !== undefined && action !== undefined && <Details action={action} metadata={data} />}
    </>
  );
}

function Details({ action, metadata }: { readonly action: Action; readonly metadata: ActionsMetadata }) {
  const client = useClient();
  const [edited, setEdited] = useState<EditedRelationship>();
  const [dropping, setDropping] = useState(false);
  const { definition } = action;
  const command = 'joinery actions codegen';
  return (
    <Stack mt="lg" gap="xl">
      <Facts
        facts={[
          [
            'Signature',
            <span key="signature" className={classes.sdl}>
              {signatureOf(action)}
            </span>,
          ],
          ['Type', `${definition.kind ?? 'synchronous'} ${definition.type ?? 'mutation'}`],
          ['Handler', definition.handler],
          ['Comment', action.comment ?? undefined],
        ]}
      />
      <Group gap="xs">
        <Button size="xs" variant="default" component="a" {...linkTo(`/actions/edit/${action.name}`)}>
          Edit
        </Button>
        <Button size="xs" variant="default" onClick={() => setDropping(true)}>
          Drop
        </Button>
      </Group>
      <Part title="Relationships">
        <Stack gap="md">
          {outputTypes(action, metadata.types).map((type) => (
            <TypeRelationships key={type.name} type={type} onEdit={setEdited} />
          ))}
          {outputTypes(action, metadata.types).length === 0 && (
            <Text size="sm" c="dimmed">
              The answer is no object, and only fields of objects can be joined.
            </Text>
          )}
        </Stack>
      </Part>
      <Permissions action={action} />
      <Part title="Code for the handler">
        <Text size="sm" mb={6}>
          TypeScript types of all actions, and skeletons of their handlers, are printed by
        </Text>
        <Group gap={6}>
          <Code>{command}</Code>
          <CopyButton text={command} what="command" />
        </Group>
      </Part>
      <RelationshipDrawer edited={edited} sources={metadata.sources} onClose={() => setEdited(undefined)} />
      <ConfirmDialog
        title={dropping ? `Drop the action ${action.name}?` : undefined}
        about="Its field leaves the schema, and its permissions are gone. The types stay."
        confirm="Drop the action"
        failed="The action was not dropped"
        perform={() => dropAction(client, action.name)}
        onClose={() => setDropping(false)}
        onDone={() => go('/actions')}
      />
    </Stack>
  );
}

interface TypeRelationshipsProps {
  readonly type: ObjectType;
  readonly onEdit: (edited: EditedRelationship) => void;
}

function TypeRelationships({ type, onEdit }: TypeRelationshipsProps) {
  const client = useClient();
  const [dropping, setDropping] = useState<Relationship>();
  const relationships = type.relationships ?? [];
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)">
      <Group justify="space-between" mb="xs">
        <div>
          <Text fw={600}>{type.name}</Text>
          <Text size="xs" c="dimmed" className={classes.sdl ?? ''}>
            {type.fields.map((field) => `${field.name}: ${field.type}`).join(', ')}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={() => onEdit({ typeName: type.name, relationship: undefined })}
        >
          Add a relationship
        </Button>
      </Group>
      {relationships.length === 0 && (
        <Text size="sm" c="dimmed">
          Not joined to anything yet.
        </Text>
      )}
      {relationships.map((relationship) => (
        <div key={relationship.name} className={classes.relationship}>
          <strong>{relationship.name}</strong>
          <span>
            {'type' in relationship ? `${relationship.type}: ` : ''}
            {describeRelationship(relationship)}
          </span>
          {isTableRelationship(relationship) && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              aria-label={`Edit ${relationship.name}`}
              onClick={() => onEdit({ typeName: type.name, relationship })}
            >
              Edit
            </Button>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove ${relationship.name}`}
            onClick={() => setDropping(relationship)}
          >
            <CrossIcon size={16} />
          </ActionIcon>
        </div>
      ))}
      <ConfirmDialog
        title={dropping && `Remove the relationship ${dropping.name}?`}
        about={`${type.name} has the field no more; requests that select it are refused.`}
        confirm="Remove the relationship"
        failed="The relationship was not removed"
        perform={() => dropRelationship(client, type.name, dropping?.name ?? '')}
        onClose={() => setDropping(undefined)}
        onDone={() => setDropping(undefined)}
      />
    </Paper>
  );
}

function Permissions({ action }: { readonly action: Action }) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const [role, setRole] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: (change: { readonly role: string; readonly granted: boolean }) =>
      setPermission(client, action.name, change.role, change.granted),
    onSuccess: (_answer, change) => {
      tell({ title: `${change.role} may ${change.granted ? '' : 'no longer '}call ${action.name}` });
      setRole('');
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (role.trim() !== '') mutate({ role: role.trim(), granted: true });
  };
  return (
    <Part title="Permissions">
      <Stack gap="sm" align="flex-start">
        <Group gap="xs">
          <Pill>admin</Pill>
          {action.permissions?.map((one) => (
            <Pill
              key={one.role}
              withRemoveButton
              onRemove={() => mutate({ role: one.role, granted: false })}
              removeButtonProps={{
                'aria-label': `Take the permission from ${one.role}`,
                'aria-hidden': false,
                tabIndex: 0,
              }}
            >
              {one.role}
            </Pill>
          ))}
        </Group>
        {error !== null && <FailureNotice title="The permissions were not changed" failure={toFailure(error)} />}
        <form onSubmit={submit}>
          <Group gap="xs" align="end">
            <TextInput
              label="Role"
              size="xs"
              autoComplete="off"
              value={role}
              onChange={(event) => setRole(event.currentTarget.value)}
            />
            <Button type="submit" size="xs" variant="default" loading={isPending} disabled={role.trim() === ''}>
              Let it call
            </Button>
          </Group>
        </form>
        <Text size="sm" c="dimmed">
          What a role sees of joined tables is decided by its permissions there. See also{' '}
          <Anchor {...linkTo('/')} inherit>
            inconsistent objects
          </Anchor>
          .
        </Text>
      </Stack>
    </Part>
  );
}
