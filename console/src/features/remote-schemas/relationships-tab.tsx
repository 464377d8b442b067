/** Relationships of the types of a remote schema. */
import { Group, Paper, Select, Stack, Text } from '@mantine/core';
import { type GraphQLSchema, isObjectType, isRequiredArgument } from 'graphql';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { fieldKey, type JoinKey } from '../../shared/remote-fields/join-key.ts';
import { useRemoteSchema } from '../../shared/remote-fields/use-remote-schema.ts';
import {
  type EditedRemoteRelationship,
  RemoteRelationshipDrawer,
} from '../../shared/remote-relationships/relationship-drawer.tsx';
import { RemoteRelationshipList } from '../../shared/remote-relationships/relationship-list.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { dropTypeRelationship, type RemoteSchema, saveTypeRelationship } from './remotes-api.ts';
import { ownTypes } from './schema-parts.ts';
import { useRemotes } from './use-remotes.ts';

interface Dropped {
  readonly type: string;
  readonly name: string;
}

interface RelationshipsTabProps {
  readonly remote: RemoteSchema;
}

export function RelationshipsTab({ remote }: RelationshipsTabProps) {
  const client = useClient();
  const schema = useRemoteSchema(remote.name, remote.state?.read_at);
  const { data } = useRemotes();
  const [edited, setEdited] = useState<EditedRemoteRelationship>();
  const [dropping, setDropping] = useState<Dropped>();
  const [chosen, setChosen] = useState<string | null>(null);
  const types = remote.remote_relationships ?? [];
  const joinOf = (owner: string, before: EditedRemoteRelationship['before']): EditedRemoteRelationship => ({
    owner,
    noun: 'field',
    before,
    keys: schema.data === undefined ? [] : keysOf(schema.data, owner),
    targets: ['table', 'function', 'remote schema', 'action'],
  });
  if (schema.data === undefined && schema.error === null) return <Loading />;
  return (
    <Stack gap="md">
      {schema.error !== null && (
        <FailureNotice title="Its schema is unknown" failure={toFailure(schema.error)} onRetry={schema.refetch} />
      )}
      <Group align="end" gap="xs">
        <Select
          label="Type"
          placeholder="Type of the remote schema"
          searchable
          data={schema.data === undefined ? [] : objectTypes(schema.data)}
          value={chosen}
          onChange={setChosen}
          nothingFoundMessage="No such type"
          w={280}
        />
        <ReasonButton
          variant="default"
          leftSection={<PlusIcon size={14} />}
          reason={chosen === null ? 'Choose a type first.' : undefined}
          onClick={() => chosen !== null && setEdited(joinOf(chosen, undefined))}
        >
          Add a relationship
        </ReasonButton>
      </Group>
      {types.length === 0 && (
        <Text size="sm" c="dimmed">
          No type has relationships yet. Choose the type whose objects get a field with related data.
        </Text>
      )}
      {types.map(({ type_name: type, relationships }) => (
        <Paper key={type} withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={`Type ${type}`}>
          <Text fw={600} mb="xs">
            {type}
          </Text>
          <RemoteRelationshipList
            owner={type}
            rows={relationships}
            onEdit={(before) => setEdited(joinOf(type, before))}
            onRemove={({ name }) => setDropping({ type, name })}
          />
        </Paper>
      ))}
      <RemoteRelationshipDrawer
        edited={edited}
        now={types
          .find((one) => one.type_name === edited?.owner)
          ?.relationships.find(({ name }) => name === edited?.before?.name)}
        version={data?.version}
        save={({ owner }, name, definition, before) =>
          saveTypeRelationship(client, { remote_schema: remote.name, type_name: owner }, name, definition, before)
        }
        onClose={() => setEdited(undefined)}
      />
      <ConfirmDialog
        title={dropping && `Remove the relationship ${dropping.name}?`}
        about={`${dropping?.type ?? ''} loses the field, and requests that select it fail.`}
        confirm="Remove the relationship"
        failed="The relationship was not removed"
        perform={() => dropTypeRelationship(client, remote.name, dropping?.type ?? '', dropping?.name ?? '')}
        onClose={() => setDropping(undefined)}
        onDone={() => setDropping(undefined)}
      />
    </Stack>
  );
}

/** Root types cannot have relationships. */
function objectTypes(schema: GraphQLSchema): string[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return ownTypes(schema)
    .filter((type) => isObjectType(type) && !roots.includes(type))
    .map(({ name }) => name);
}

/** Returns the fields without required arguments. */
function keysOf(schema: GraphQLSchema, name: string): readonly JoinKey[] {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) =>
    field.args.some((argument) => isRequiredArgument(argument)) ? [] : [fieldKey(field.name, String(field.type))],
  );
}
