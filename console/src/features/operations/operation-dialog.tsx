/** Dialog that adds a saved or typed operation to a collection. */
import { StoredQuery } from '@joinery/metadata/schema/stored-operations';
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useClient } from '../../api/context.ts';
import { savedOperations } from '../../shared/graphql/saved-operations.ts';
import { useLast } from '../../ui/dialog/use-last.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { byMember, schemaErrors } from '../../ui/form/beside-text/schema-errors.ts';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { FormDialog } from './form-dialog.tsx';
import { addOperation, type StoredOperation } from './operations-api.ts';

interface OperationDialogProps {
  /** Undefined closes the dialog. */
  readonly collection: string | undefined;
  readonly onClose: () => void;
}

const empty: StoredOperation = { name: '', query: '' };

const fieldOf = byMember({ name: 'name', query: 'query' });

function operationErrors({ name, query }: StoredOperation): FormErrors {
  return schemaErrors(StoredQuery, { name: name.trim(), query: query.trim() }, { fieldOf });
}

export function OperationDialog({ collection, onClose }: OperationDialogProps) {
  const client = useClient();
  const form = useDraftForm({ initial: empty, validate: operationErrors });
  const operation = form.values;
  const shown = useLast(collection) ?? '';
  const saved = collection === undefined ? [] : savedOperations(window.localStorage);
  return (
    <FormDialog
      opened={collection !== undefined}
      title={`Add an operation to ${shown}`}
      confirm="Add the operation"
      failed="The operation was not added"
      form={form}
      perform={({ name, query }) => addOperation(client, shown, { name: name.trim(), query })}
      onClose={onClose}
      onDone={({ name }) => {
        notify({ title: `${name.trim()} added to ${shown}` });
        form.reset();
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
            if (chosen !== undefined) form.change({ name: chosen.name, query: chosen.query });
          }}
        />
      )}
      <TextInput
        label="Name"
        data-autofocus
        autoComplete="off"
        required
        withAsterisk={false}
        {...form.getInputProps('name')}
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
        {...form.getInputProps('query')}
      />
    </FormDialog>
  );
}
