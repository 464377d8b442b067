/** Dialog for the GraphQL name and comment of a column. */
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { useLast } from '../../../ui/dialog/use-last.ts';
import { SaveFailure } from '../../../ui/form/save-failure.tsx';
import { columnConfig, withColumn } from './table-configuration.ts';
import { useConfiguration } from './use-configuration.ts';

interface ColumnDialogProps {
  readonly source: string;
  readonly entry: TableEntry;
  /** Undefined closes the dialog. */
  readonly column: string | undefined;
  readonly onClose: () => void;
}

export function ColumnDialog({ source, entry, column, onClose }: ColumnDialogProps) {
  const shown = useLast(column);
  return (
    <Modal opened={column !== undefined} onClose={onClose} title={`Column ${shown ?? ''}`} centered>
      {column !== undefined && (
        <ColumnForm key={column} source={source} entry={entry} column={column} onClose={onClose} />
      )}
    </Modal>
  );
}

function ColumnForm({ source, entry, column, onClose }: ColumnDialogProps & { readonly column: string }) {
  const config = columnConfig(entry.configuration, column);
  const [name, setName] = useState(config.custom_name ?? '');
  const [comment, setComment] = useState(config.comment ?? '');
  const { save, saveOver, error, isPending } = useConfiguration({
    source,
    entry,
    change: (before) => withColumn(before, column, { name: name.trim(), comment: comment.trim() }),
    title: `Column ${column} changed`,
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Name in GraphQL"
          description="Empty uses the database name. Requests that use the previous name fail."
          placeholder={column}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Comment in GraphQL"
          description="Empty for the one of the database."
          autoComplete="off"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        {error !== null && <SaveFailure title="The column was not changed" error={error} onSaveOver={saveOver} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Back
          </Button>
          <Button type="submit" loading={isPending}>
            Save the column
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
