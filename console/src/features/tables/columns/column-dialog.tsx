/** Dialog for the GraphQL name and comment of a column. */
import { Stack, TextInput } from '@mantine/core';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { useLast } from '../../../ui/dialog/use-last.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
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
    <Dialog opened={column !== undefined} onClose={onClose} title={`Column ${shown ?? ''}`}>
      {column !== undefined && (
        <ColumnForm key={column} source={source} entry={entry} column={column} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ColumnForm({ source, entry, column, onClose }: ColumnDialogProps & { readonly column: string }) {
  const { form, command, submit, saveOver } = useConfiguration({
    source,
    entry,
    draftOf: (before) => {
      const { custom_name, comment } = columnConfig(before, column);
      return { name: custom_name ?? '', comment: comment ?? '' };
    },
    change: (before, { name, comment }) => withColumn(before, column, { name: name.trim(), comment: comment.trim() }),
    fieldOf: (member) => (member.endsWith('.comment') ? 'comment' : 'name'),
    title: `Column ${column} changed`,
    onDone: onClose,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label="Name in GraphQL"
          description="Empty uses the database name. Requests that use the previous name fail."
          placeholder={column}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Comment in GraphQL"
          description="Empty for the one of the database."
          autoComplete="off"
          {...form.getInputProps('comment')}
        />
        <FormActions
          submit="Save the column"
          command={command}
          failed="The column was not changed"
          onSaveOver={saveOver}
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
