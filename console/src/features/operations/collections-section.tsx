/** Collections of stored operations and the allow list. */
import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo } from '../../router/location.ts';
import { exploreLink } from '../../shared/graphql/explore-link.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { requiredText, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { counted } from '../../ui/format.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { FormDialog } from './form-dialog.tsx';
import { OperationDialog } from './operation-dialog.tsx';
import {
  type Allowed,
  type Collection,
  createCollection,
  dropCollection,
  dropOperation,
  isAllowListInForce,
  type Operations,
  type StoredOperation,
  setAllowed,
} from './operations-api.ts';

interface Removal {
  readonly collection: string;
  /** Undefined means the collection as a whole. */
  readonly operation?: string;
}

export function CollectionsSection({ operations }: { readonly operations: Operations }) {
  const client = useClient();
  const [creating, setCreating] = useState(false);
  const [adding, setAdding] = useState<string>();
  const [removal, setRemoval] = useState<Removal>();
  const { query_collections, allowlist } = operations;
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      New collection
    </Button>
  );
  return (
    <Stack gap="md">
      {query_collections.length > 0 && (
        <Group justify="space-between" gap="sm">
          <InForce />
          {create}
        </Group>
      )}
      {query_collections.length === 0 && (
        <EmptyState title="No collections of operations" action={create}>
          A collection contains named operations. REST endpoints run them, and the allow list contains the collections
          whose operations callers may send.
        </EmptyState>
      )}
      {query_collections.map((collection) => (
        <CollectionPaper
          key={collection.name}
          collection={collection}
          allowed={allowlist.find((one) => one.collection === collection.name)}
          onAdd={() => setAdding(collection.name)}
          onRemove={setRemoval}
        />
      ))}
      <CollectionDialog opened={creating} onClose={() => setCreating(false)} />
      <OperationDialog collection={adding} onClose={() => setAdding(undefined)} />
      <ConfirmDialog
        title={removal && `Remove ${removal.operation ?? removal.collection}?`}
        about={
          removal?.operation === undefined
            ? 'The collection, its operations and its place in the allow list are removed.'
            : `The operation is removed from ${removal.collection}.`
        }
        confirm="Remove"
        failed="Nothing was removed"
        perform={async () => {
          if (removal === undefined) return;
          if (removal.operation === undefined) await dropCollection(client, removal.collection);
          else await dropOperation(client, removal.collection, removal.operation);
        }}
        onClose={() => setRemoval(undefined)}
        onDone={() => {
          notify({ title: `${removal?.operation ?? removal?.collection} removed` });
          setRemoval(undefined);
        }}
      />
    </Stack>
  );
}

function InForce() {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['configuration', 'allow-list'],
    queryFn: ({ signal }) => isAllowListInForce(client, signal),
  });
  return (
    <Text size="sm" c="dimmed" maw={560}>
      {data === undefined
        ? ' '
        : data
          ? 'The allow list is enforced: only admins may send other operations.'
          : 'The allow list is not enforced: callers may send any operation. Set JOINERY_ENABLE_ALLOWLIST=true to enforce it.'}
    </Text>
  );
}

interface CollectionPaperProps {
  readonly collection: Collection;
  readonly allowed: Allowed | undefined;
  readonly onAdd: () => void;
  readonly onRemove: (removal: Removal) => void;
}

function CollectionPaper({ collection, allowed, onAdd, onRemove }: CollectionPaperProps) {
  const { name, comment, definition } = collection;
  const { run, failure, isPending } = useCommand((client, listed: boolean) => setAllowed(client, name, listed), {
    notice: (_none, listed) => ({ title: `${name} ${listed ? 'added to' : 'removed from'} the allow list` }),
  });
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={`Collection ${name}`}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Title order={2} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Title>
            <Text size="sm" c="dimmed">
              {counted(definition.queries.length, 'operation')}
              {comment ? `. ${comment}` : ''}
            </Text>
          </div>
          <StatusDot tone={allowed === undefined ? 'waiting' : 'good'}>{placeOf(allowed)}</StatusDot>
        </Group>
        {failure !== undefined && <FailureNotice title="The allow list was not changed" failure={failure} />}
        {definition.queries.map((operation) => (
          <OperationLine
            key={operation.name}
            operation={operation}
            onRemove={() => onRemove({ collection: name, operation: operation.name })}
          />
        ))}
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onAdd}>
            Add an operation
          </Button>
          <Button size="xs" variant="default" loading={isPending} onClick={() => run(allowed === undefined)}>
            {allowed === undefined ? 'Add to the allow list' : 'Remove from the allow list'}
          </Button>
          <Button size="xs" variant="default" onClick={() => onRemove({ collection: name })}>
            Remove the collection
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function placeOf(allowed: Allowed | undefined): string {
  if (allowed === undefined) return 'Not in the allow list';
  const { scope } = allowed;
  return scope === undefined || scope.global ? 'Allowed for every role' : `Allowed for ${scope.roles.join(', ')}`;
}

interface OperationLineProps {
  readonly operation: StoredOperation;
  readonly onRemove: () => void;
}

function OperationLine({ operation, onRemove }: OperationLineProps) {
  return (
    <Disclosure title={operation.name}>
      <Stack gap="xs">
        <JsonView plain what={`operation ${operation.name}`} text={operation.query} />
        <Group gap="xs">
          <Button component="a" size="xs" variant="default" {...linkTo(exploreLink({ query: operation.query }))}>
            Open in Explore
          </Button>
          <Button size="xs" variant="default" onClick={onRemove}>
            Remove the operation
          </Button>
        </Group>
      </Stack>
    </Disclosure>
  );
}

interface CollectionDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function CollectionDialog({ opened, onClose }: CollectionDialogProps) {
  const client = useClient();
  const form = useDraftForm({ initial: { name: '' }, validate: ({ name }) => ({ name: requiredText(name) }) });
  return (
    <FormDialog
      opened={opened}
      title="New collection"
      confirm="Create the collection"
      failed="The collection was not created"
      form={form}
      perform={({ name }) => createCollection(client, name.trim())}
      onClose={onClose}
      onDone={({ name }) => {
        notify({ title: `Collection ${name.trim()} created` });
        form.reset();
        onClose();
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        autoComplete="off"
        required
        withAsterisk={false}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  );
}
