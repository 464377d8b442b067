/** Form that adds a source. */
import { Button, Collapse, Stack } from '@mantine/core';
import { useId, useState } from 'react';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { addSource } from '../../shared/sources/sources-api.ts';
import { sourcePath } from '../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { emptySource, type SourceDraft, sourceArguments, sourceErrors } from './source-draft.ts';
import { AddressFields, NameFields, PoolFields, ReplicaFields } from './source-fields.tsx';

export function SourceDrawer({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <DetailDrawer subject={opened} title="Add a source" size="form" onClose={onClose}>
      {() => <SourceForm onClose={onClose} />}
    </DetailDrawer>
  );
}

function SourceForm({ onClose }: { readonly onClose: () => void }) {
  const form = useDraftForm({ initial: emptySource, validate: sourceErrors });
  const [advanced, setAdvanced] = useState(false);
  const region = useId();
  const command = useCommand((client, draft: SourceDraft) => addSource(client, sourceArguments(draft)), {
    notice: (_result, { name }) => ({
      title: `${name.trim()} was added`,
      text: 'Track its tables to have them in the GraphQL schema.',
    }),
    onDone: (_result, { name }) => navigate(sourcePath(name.trim())),
  });
  const submit = form.onSubmit(
    (draft) => command.run(draft),
    ({ name: _name, address: _address, ...others }) => {
      // Invalid fields must be visible.
      if (Object.keys(others).length > 0) setAdvanced(true);
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextField label="Name" placeholder="shop" required data-autofocus {...form.getInputProps('name')} />
        <AddressFields
          label="Database"
          address={form.values.address}
          problem={form.errors.address}
          onChange={(address) => form.change({ address })}
        />
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          ms={-14}
          style={{ alignSelf: 'flex-start' }}
          aria-expanded={advanced}
          aria-controls={region}
          onClick={() => setAdvanced(!advanced)}
        >
          {advanced ? 'Hide advanced settings' : 'Advanced'}
        </Button>
        <Collapse expanded={advanced} id={region}>
          <Stack gap="md">
            <PoolFields form={form} />
            <ReplicaFields form={form} />
            <NameFields form={form} />
          </Stack>
        </Collapse>
        <FormActions submit="Add the source" command={command} failed="The source was not added" onBack={onClose} />
      </Stack>
    </form>
  );
}
