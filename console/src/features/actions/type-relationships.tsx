/** Relationships of an output type. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import {
  type EditedRemoteRelationship,
  RemoteRelationshipDrawer,
  type SavedRemoteRelationship,
} from '../../shared/remote-relationships/relationship-drawer.tsx';
import { RemoteRelationshipList } from '../../shared/remote-relationships/relationship-list.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import classes from './actions.module.css';
import { dropRelationship, type ObjectType, type Relationship, saveDefinedRelationship } from './actions-api.ts';
import type { EditedRelationship } from './relationship-form.tsx';
import { definitionOf, isTableRelationship } from './sdl/action-types.ts';

interface TypeRelationshipsProps {
  readonly type: ObjectType;
  /** The exported metadata. */
  readonly exported: unknown;
  /** Resource version of the metadata. */
  readonly version: number;
  readonly onEdit: (edited: EditedRelationship) => void;
}

export function TypeRelationships({ type, exported, version, onEdit }: TypeRelationshipsProps) {
  const client = useClient();
  const [dropping, setDropping] = useState<string>();
  const [edited, setEdited] = useState<EditedRemoteRelationship>();
  const relationships: readonly Relationship[] = type.relationships ?? [];
  const rows = relationships.map((written) => ({ name: written.name, definition: definitionOf(written), written }));
  const keys = type.fields.map(({ name }) => name);
  const other: EditedRemoteRelationship = {
    owner: type.name,
    keys,
    before: undefined,
    exported: exported,
    targets: ['function', 'remote schema', 'action', 'table'],
  };
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={`Type ${type.name}`}>
      <Group justify="space-between" align="flex-start" mb="xs" gap="sm">
        <div className={classes.grow}>
          <Text fw={600}>{type.name}</Text>
          <Text size="xs" c="dimmed" className={classes.sdl ?? ''}>
            {type.fields.map((field) => `${field.name}: ${field.type}`).join(', ')}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<PlusIcon size={14} />}
            onClick={() => onEdit({ typeName: type.name, relationship: undefined })}
          >
            Add a relationship
          </Button>
          <Button size="xs" variant="subtle" color="gray" onClick={() => setEdited(other)}>
            To something else
          </Button>
        </Group>
      </Group>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          Not joined to anything yet.
        </Text>
      )}
      <RemoteRelationshipList
        owner={type.name}
        rows={rows}
        onEdit={({ name, definition, written }) => {
          if (isTableRelationship(written)) onEdit({ typeName: type.name, relationship: written });
          else setEdited({ ...other, before: { name, definition } });
        }}
        onRemove={({ name }) => setDropping(name)}
      />
      <RemoteRelationshipDrawer
        edited={edited}
        now={nowOf(rows, edited)}
        version={version}
        save={(_edited, name, definition, before) =>
          saveDefinedRelationship(client, type.name, name, definition, before)
        }
        onClose={() => setEdited(undefined)}
      />
      <ConfirmDialog
        title={dropping && `Remove the relationship ${dropping}?`}
        about={`${type.name} loses the field, and requests that select it fail.`}
        confirm="Remove the relationship"
        failed="The relationship was not removed"
        perform={() => dropRelationship(client, type.name, dropping ?? '')}
        onClose={() => setDropping(undefined)}
        onDone={() => setDropping(undefined)}
      />
    </Paper>
  );
}

function nowOf(
  rows: readonly SavedRemoteRelationship[],
  edited: EditedRemoteRelationship | undefined,
): SavedRemoteRelationship | undefined {
  const found = rows.find(({ name }) => name === edited?.before?.name);
  return found && { name: found.name, definition: found.definition };
}
