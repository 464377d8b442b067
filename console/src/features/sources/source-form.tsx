/** Form that adds a source. */
import { Button, Collapse, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { navigate } from '../../router/location.ts';
import { addSource } from '../../shared/sources/sources-api.ts';
import { sourcePath } from '../../shared/sources/table-paths.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { emptySource, type SourceDraft, sourceArguments, sourceProblems } from './source-draft.ts';
import { AddressFields, NameFields, PoolFields, ReplicaFields } from './source-fields.tsx';

export function SourceDrawer({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <DetailDrawer subject={opened} title="Add a source" size="form" onClose={onClose}>
      {() => <SourceForm onClose={onClose} />}
    </DetailDrawer>
  );
}

function SourceForm({ onClose }: { readonly onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [draft, setDraft] = useState<SourceDraft>(emptySource);
  const [submitted, setSubmitted] = useState(false);
  const [advanced, setAdvanced] = useState(false);
  const region = useId();
  const problems = submitted ? sourceProblems(draft) : {};
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => addSource(client, sourceArguments(draft)),
    onSuccess: () => {
      notify({ title: `${draft.name.trim()} was added`, text: 'Track its tables to have them in the GraphQL schema.' });
      navigate(sourcePath(draft.name.trim()));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSubmitted(true);
    const { name, address, ...others } = sourceProblems(draft);
    // Invalid fields must be visible.
    if (Object.keys(others).length > 0) setAdvanced(true);
    else if (name === undefined && address === undefined) mutate();
  };
  const change = (part: Partial<SourceDraft>): void => setDraft({ ...draft, ...part });
  const fields = { draft, problems, onChange: change };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextField
          label="Name"
          placeholder="shop"
          required
          data-autofocus
          value={draft.name}
          error={problems.name}
          onChange={(name) => change({ name })}
        />
        <AddressFields
          label="Database"
          address={draft.address}
          problem={problems.address}
          onChange={(address) => change({ address })}
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
            <PoolFields {...fields} />
            <ReplicaFields {...fields} />
            <NameFields {...fields} />
          </Stack>
        </Collapse>
        <FormActions
          submit="Add the source"
          busy={isPending}
          error={error}
          failed="The source was not added"
          onBack={onClose}
        />
      </Stack>
    </form>
  );
}
