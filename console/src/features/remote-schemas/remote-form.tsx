/** Form of a new or existing remote schema. */
import { Checkbox, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { navigate } from '../../router/location.ts';
import { HeaderFields } from '../../shared/headers/header-fields.tsx';
import { Editor } from '../../ui/editor/editor.tsx';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import form from '../../ui/form/form.module.css';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { PairFields } from '../../ui/form/pair-fields.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { sentence } from '../../ui/format.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import {
  emptyRemoteDraft,
  type RemoteDraft,
  type RemoteField,
  remoteDefinitionFrom,
  remoteDraftOf,
  remoteSchemaProblems,
  renames,
} from './remote-draft.ts';
import classes from './remotes.module.css';
import { addRemote, type RemoteSchema, updateRemote } from './remotes-api.ts';
import { useRemotes } from './use-remotes.ts';

export function NewRemotePage() {
  return (
    <>
      <PageHeader
        title="Add a remote schema"
        about="The service introspects it and adds its fields to the schema."
        back={{ to: '/remotes', label: 'Remote schemas' }}
      />
      <RemoteForm remote={undefined} />
    </>
  );
}

/** `remote` is undefined for a new one. */
export function RemoteForm({ remote }: { readonly remote: RemoteSchema | undefined }) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const { data, refetch } = useRemotes();
  const [draft, setDraft] = useState<RemoteDraft>(() =>
    remote === undefined ? emptyRemoteDraft : remoteDraftOf(remote),
  );
  const change = (part: Partial<RemoteDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const problems = remoteSchemaProblems(draft);
  const name = draft.name.trim();
  const { basis, newer, reopen } = useEditConflict(remote && settingsOf(remote), data?.version);
  // The form stays open: the saved values become its base.
  const goOn = async (): Promise<void> => {
    const { data: read } = await refetch();
    const saved = read?.remotes.find((one) => one.name === name);
    if (read === undefined || saved === undefined) return;
    reopen({ shown: settingsOf(saved), version: read.version });
    setDraft(remoteDraftOf(saved));
  };
  const { mutate, error, isPending } = useMutation({
    mutationFn: ({ shown: before, version }: Reading<Settings | undefined>) => {
      const comment = draft.comment.trim() || null;
      const saved = { name, definition: remoteDefinitionFrom(draft, before?.definition), comment };
      return before === undefined ? addRemote(client, saved) : updateRemote(client, saved, version);
    },
    onSuccess: async () => {
      notify({ title: remote === undefined ? 'Remote schema added' : 'Remote schema changed' });
      if (remote === undefined) navigate(`/remotes/of/${encodeURIComponent(name)}`);
      else await goOn();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const ready = name !== '' && draft.address.trim() !== '' && problems.size === 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) mutate(basis);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={820} bg="var(--joinery-surface)">
        <Stack gap="lg">
          {remote === undefined && (
            <TextField label="Name" required value={draft.name} onChange={(name) => change({ name })} />
          )}
          <div className={classes.address}>
            <NativeSelect
              label="Address"
              value={draft.from}
              data={[
                { value: 'url', label: 'URL' },
                { value: 'environment', label: 'Environment' },
              ]}
              onChange={(event) => change({ from: event.currentTarget.value as RemoteDraft['from'] })}
            />
            <TextField
              label={draft.from === 'url' ? 'URL' : 'Variable'}
              placeholder={draft.from === 'url' ? 'https://carrier.example.com/graphql' : 'CARRIER_URL'}
              required
              value={draft.address}
              onChange={(address) => change({ address })}
            />
          </div>
          {draft.from === 'url' && (
            <Text size="sm" c="dimmed" mt="calc(-1 * var(--mantine-spacing-sm))">
              May contain {'{{NAME}}'} for a variable of the service's environment.
            </Text>
          )}
          <HeaderFields
            headers={draft.headers}
            onChange={(headers) => change({ headers })}
            errorOf={() => undefined}
            none="None but those of the session, and what every call has."
          />
          <Checkbox
            label="Forward the headers of the client"
            checked={draft.forwards}
            onChange={(event) => change({ forwards: event.currentTarget.checked })}
          />
          <div className={form.pair}>
            <TextField
              label="Timeout in seconds"
              inputMode="numeric"
              value={draft.timeout}
              onChange={(timeout) => change({ timeout })}
              error={problems.get('timeout')}
            />
            <TextField label="Comment" value={draft.comment} onChange={(comment) => change({ comment })} />
          </div>
          <Disclosure
            title="Other names"
            hint="namespace, prefixes, renamed types and fields"
            initiallyOpened={renames(draft)}
          >
            <NameFields draft={draft} problems={problems} onChange={change} />
          </Disclosure>
          <FormActions
            submit={remote === undefined ? 'Add the remote schema' : 'Save the settings'}
            busy={isPending}
            disabled={!ready}
            error={error}
            failed="The remote schema was not saved"
            onSaveOver={newer && (() => ready && mutate(newer))}
            onBack={() => navigate('/remotes')}
          />
        </Stack>
      </Paper>
    </form>
  );
}

type Settings = Pick<RemoteSchema, 'definition' | 'comment'>;

/** Returns the edited values. */
function settingsOf({ definition, comment }: RemoteSchema): Settings {
  return { definition, comment: comment ?? null };
}

interface NameFieldsProps {
  readonly draft: RemoteDraft;
  readonly problems: ReadonlyMap<RemoteField, string>;
  readonly onChange: (part: Partial<RemoteDraft>) => void;
}

function NameFields({ draft, problems, onChange }: NameFieldsProps) {
  const input = (field: 'namespace' | 'typePrefix' | 'typeSuffix', label: string, placeholder: string) => (
    <TextField
      label={label}
      placeholder={placeholder}
      value={draft[field]}
      onChange={(text) => onChange({ [field]: text })}
    />
  );
  const problem = problems.get('fieldNames');
  return (
    <Stack gap="md">
      {input('namespace', 'Namespace of the root fields', 'shipping')}
      <div className={form.pair}>
        {input('typePrefix', 'Prefix of types', 'Carrier')}
        {input('typeSuffix', 'Suffix of types', 'V2')}
      </div>
      <PairFields
        legend="Types with another name"
        noun="renamed type"
        placeholders={['Parcel', 'Package']}
        pairs={draft.typeNames}
        onChange={(typeNames) => onChange({ typeNames })}
      />
      <div>
        <Editor
          label="Names of fields"
          height="7rem"
          language="json"
          text={draft.fieldNames}
          onChange={(fieldNames) => onChange({ fieldNames })}
        />
        <Text size="sm" mt={6} c={problem === undefined ? 'dimmed' : 'var(--mantine-color-error)'} role="status">
          {problem === undefined
            ? 'A list such as [{"parent_type": "Parcel", "prefix": "the_", "mapping": {"code": "number"}}], or nothing.'
            : sentence(problem)}
        </Text>
      </div>
    </Stack>
  );
}
