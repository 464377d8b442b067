/** Dialog that creates a collection. */
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormDialog } from './form-dialog.tsx';
import { createCollection } from './operations-api.ts';

interface CollectionDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CollectionDialog({ opened, onClose }: CollectionDialogProps) {
  const client = useClient();
  const notify = useNotify();
  const [name, setName] = useState('');
  return (
    <FormDialog
      opened={opened}
      title="New collection"
      confirm="Create the collection"
      failed="The collection was not created"
      ready={name.trim() !== ''}
      perform={() => createCollection(client, name.trim())}
      onClose={onClose}
      onDone={() => {
        notify({ title: `Collection ${name.trim()} created` });
        setName('');
        onClose();
      }}
    >
      <TextInput
        label="Name"
        data-autofocus
        autoComplete="off"
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
