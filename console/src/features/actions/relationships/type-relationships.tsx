/** Relationships of an output type. */
import { Button, Group, Paper, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { fieldKey } from '../../../shared/remote-fields/join-key.ts';
import { remoteRelationshipText } from '../../../shared/remote-relationships/definition-text.ts';
import {
  type EditedRemoteRelationship,
  RemoteRelationshipDrawer,
  type SavedRemoteRelationship,
  startOf,
} from '../../../shared/remote-relationships/relationship-drawer.tsx';
import { RemoteRelationshipList } from '../../../shared/remote-relationships/relationship-list.tsx';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { unsavedWork } from '../../../ui/form/unsaved-work.ts';
import { useWorkScope, WorkScopeContext } from '../../../ui/form/use-unsaved-work.ts';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import classes from '../actions.module.css';
import {
  type ActionsMetadata,
  dropRelationship,
  type ObjectType,
  type Relationship,
  saveDefinedRelationship,
  type TableRelationship,
} from '../actions-api.ts';
import { definitionOf, isTableRelationship } from '../sdl/action-types.ts';
import { RelationshipForm } from './relationship-form.tsx';
import { Suggestions, useSuggestions } from './suggestions.tsx';

interface TypeRelationshipsProps {
  readonly type: ObjectType;
  readonly metadata: ActionsMetadata;
}

/** The form that is open in place. */
interface OpenForm {
  readonly relationship: TableRelationship | undefined;
}

export function TypeRelationships({ type, metadata }: TypeRelationshipsProps) {
  const { version } = metadata;
  const client = useClient();
  const [dropping, setDropping] = useState<string>();
  const [open, setOpen] = useState<OpenForm>();
  const [edited, setEdited] = useState<EditedRemoteRelationship>();
  const addButton = useRef<HTMLButtonElement>(null);
  // The form confirms that its changes are discarded when it is closed or replaced by another one.
  const scope = useWorkScope();
  const openForm = (form: OpenForm | undefined): void => unsavedWork.leave(scope, () => setOpen(form));
  const close = (): void => {
    setOpen(undefined);
    addButton.current?.focus();
  };
  const relationships: readonly Relationship[] = type.relationships ?? [];
  const rows = relationships.map((written) => ({ name: written.name, definition: definitionOf(written), written }));
  const known = new Set(rows.map(({ definition }) => mappingText(type.name, definition)));
  // The suggestions are of another response than the relationships, and may be older.
  const suggestions = useSuggestions(type.name).filter((one) => !known.has(mappingText(type.name, definitionOf(one))));
  const keys = type.fields.map((field) => fieldKey(field.name, field.type));
  const other: EditedRemoteRelationship = {
    owner: type.name,
    noun: 'field',
    keys,
    before: undefined,
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
        <Button
          ref={addButton}
          size="xs"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={() => openForm({ relationship: undefined })}
        >
          Add a relationship
        </Button>
      </Group>
      {rows.length === 0 && (
        <Text size="sm" c="dimmed">
          It has no relationships yet.
        </Text>
      )}
      <RemoteRelationshipList
        owner={type.name}
        rows={rows}
        onEdit={({ name, definition, written }) => {
          if (isTableRelationship(written)) openForm({ relationship: written });
          else setEdited({ ...other, before: { name, definition } });
        }}
        onRemove={({ name }) => setDropping(name)}
      />
      {open === undefined && <Suggestions typeName={type.name} suggestions={suggestions} />}
      {open !== undefined && (
        <WorkScopeContext value={scope}>
          <RelationshipForm
            key={open.relationship?.name ?? ''}
            typeName={type.name}
            relationship={open.relationship}
            metadata={metadata}
            suggestions={suggestions}
            onElsewhere={(kind, name) => {
              setOpen(undefined);
              setEdited({ ...other, suggested: startOf(kind, name) });
            }}
            onClose={close}
          />
        </WorkScopeContext>
      )}
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

/** What a relationship joins, without its name. */
function mappingText(typeName: string, definition: ReturnType<typeof definitionOf>): string {
  return remoteRelationshipText(typeName, definition).lines.join('\n');
}

function nowOf(
  rows: readonly SavedRemoteRelationship[],
  edited: EditedRemoteRelationship | undefined,
): SavedRemoteRelationship | undefined {
  const found = rows.find(({ name }) => name === edited?.before?.name);
  return found && { name: found.name, definition: found.definition };
}
