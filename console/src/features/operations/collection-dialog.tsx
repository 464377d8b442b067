/** Dialog that creates a collection. */
import { TextInput } from '@mantine/core';
import { useClient } from '../../api/context.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { requiredText, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { FormDialog } from './form-dialog.tsx';
import { createCollection } from './operations-api.ts';

interface CollectionDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CollectionDialog({ opened, onClose }: CollectionDialogProps) {
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
