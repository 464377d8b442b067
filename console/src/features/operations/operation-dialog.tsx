/** Dialog that adds a saved or typed operation to a collection. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { savedOperations } from '../../shared/graphql/saved-operations.ts';
import { useLast } from '../../ui/dialog/use-last.ts';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormDialog } from './form-dialog.tsx';
import { addOperation, type StoredOperation } from './operations-api.ts';

interface OperationDialogProps {
  /** Undefined closes the dialog. */
  readonly collection: string | undefined;
  readonly onClose: () => void;
}

const empty: StoredOperation = { name: '', query: '' };

export function OperationDialog({ collection, onClose }: OperationDialogProps) {
  const client = useClient();
  const notify = useNotify();
  const [operation, setOperation] = useState(empty);
  const shown = useLast(collection) ?? '';
  const saved = collection === undefined ? [] : savedOperations(window.localStorage);
  const named = { name: operation.name.trim(), query: operation.query };
  return (
    <FormDialog
      opened={collection !== undefined}
      title={`Add an operation to ${shown}`}
      confirm="Add the operation"
      failed="The operation was not added"
      ready={named.name !== '' && named.query.trim() !== ''}
      perform={() => addOperation(client, shown, named)}
      onClose={onClose}
      onDone={() => {
        notify({ title: `${named.name} added to ${shown}` });
        setOperation(empty);
        onClose();
      }}
    >
      {saved.length > 0 && (
        <NativeSelect
          label="Saved in the explorer"
          data={[{ value: '', label: 'Choose one, or type it below' }, ...saved.map(({ name }) => name)]}
          value={saved.some(({ name }) => name === operation.name) ? operation.name : ''}
          onChange={(event) => {
            const chosen = saved.find(({ name }) => name === event.currentTarget.value);
            if (chosen !== undefined) setOperation({ name: chosen.name, query: chosen.query });
          }}
        />
      )}
      <TextInput
        label="Name"
        data-autofocus
        autoComplete="off"
        required
        withAsterisk={false}
        value={operation.name}
        onChange={(event) => setOperation({ ...operation, name: event.currentTarget.value })}
      />
      <Textarea
        label="Operation"
        description="GraphQL: a query, mutation or subscription, with its fragments."
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
        spellCheck={false}
        autosize
        minRows={6}
        maxRows={18}
        required
        withAsterisk={false}
        value={operation.query}
        onChange={(event) => setOperation({ ...operation, query: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
