/** Form of a new or existing remote schema. */
import { Checkbox, NativeSelect, Paper, Stack, Text } from '@mantine/core';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { HeaderFields } from '../../shared/headers/header-fields.tsx';
import { useRemoteSchema } from '../../shared/remote-fields/use-remote-schema.ts';
import formClasses from '../../ui/form/form.module.css';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { PairFields } from '../../ui/form/pair-fields.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { type DraftForm, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { FieldNamesFields } from './field-names-fields.tsx';
import {
  emptyRemoteDraft,
  type RemoteDraft,
  remoteDraftOf,
  remoteFrom,
  remoteSchemaErrors,
  renames,
} from './remote-draft.ts';
import classes from './remotes.module.css';
import { addRemote, type RemoteSchema, updateRemote } from './remotes-api.ts';
import { membersOf, ownTypes } from './schema-parts.ts';
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
  const { data, refetch } = useRemotes();
  const form = useDraftForm({
    initial: remote === undefined ? emptyRemoteDraft : remoteDraftOf(remote),
    validate: remoteSchemaErrors,
    immediate: true,
  });
  const draft = form.values;
  const { basis, newer, reopen } = useEditConflict(remote && settingsOf(remote), data?.version);
  // The form stays open: the saved values become its base.
  const goOn = async (name: string): Promise<void> => {
    const { data: read } = await refetch();
    const saved = read?.remotes.find((one) => one.name === name);
    if (read === undefined || saved === undefined) return;
    reopen({ shown: settingsOf(saved), version: read.version });
    form.setValues(remoteDraftOf(saved));
  };
  const command = useCommand(
    (client, { draft: typed, reading: { shown: before, version } }: Saved) => {
      const saved = remoteFrom(typed, before?.definition);
      return before === undefined ? addRemote(client, saved) : updateRemote(client, saved, version);
    },
    {
      notice: () => ({ title: remote === undefined ? 'Remote schema added' : 'Remote schema changed' }),
      onDone: async (_result, { draft: { name } }) => {
        if (remote === undefined) navigate(`/remotes/of/${encodeURIComponent(name.trim())}`);
        else await goOn(name.trim());
      },
    },
  );
  const saveOn = (reading: Saved['reading']) => form.onSubmit((typed) => command.run({ draft: typed, reading }));
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={960} bg="var(--joinery-surface)">
        <Stack gap="lg">
          {remote === undefined && <TextField label="Name" required {...form.getInputProps('name')} />}
          <div className={classes.address}>
            <NativeSelect
              label="Address"
              value={draft.from}
              data={[
                { value: 'url', label: 'URL' },
                { value: 'environment', label: 'Environment' },
              ]}
              onChange={(event) => form.change({ from: event.currentTarget.value as RemoteDraft['from'] })}
            />
            <TextField
              label={draft.from === 'url' ? 'URL' : 'Variable'}
              placeholder={draft.from === 'url' ? 'https://carrier.example.com/graphql' : 'CARRIER_URL'}
              required
              {...form.getInputProps('address')}
            />
          </div>
          {draft.from === 'url' && (
            <Text size="sm" c="dimmed" mt="calc(-1 * var(--mantine-spacing-sm))">
              May contain {'{{NAME}}'} for a variable of the service's environment.
            </Text>
          )}
          <HeaderFields
            headers={draft.headers}
            onChange={(headers) => form.change({ headers })}
            errorOf={() => undefined}
            none="Only those of the session and of every call."
          />
          <Checkbox
            label="Forward the headers of the client"
            {...form.getInputProps('forwards', { type: 'checkbox' })}
          />
          <div className={formClasses.pair}>
            <TextField label="Timeout in seconds" inputMode="numeric" {...form.getInputProps('timeout')} />
            <TextField label="Comment" {...form.getInputProps('comment')} />
          </div>
          <Disclosure
            title="Other names"
            hint="namespace, prefixes, renamed types and fields"
            initiallyOpened={renames(draft)}
          >
            <NameFields form={form} remote={remote} />
          </Disclosure>
          <FormActions
            submit={remote === undefined ? 'Add the remote schema' : 'Save the settings'}
            command={command}
            reason={form.invalid}
            failed="The remote schema was not saved"
            onSaveOver={newer && saveOn(newer)}
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

interface Saved {
  readonly draft: RemoteDraft;
  readonly reading: Reading<Settings | undefined>;
}

interface NameFieldsProps {
  readonly form: DraftForm<RemoteDraft>;
  /** Undefined for a new remote schema. */
  readonly remote: RemoteSchema | undefined;
}

function NameFields({ form, remote }: NameFieldsProps) {
  const { data: schema } = useRemoteSchema(remote?.name, remote?.state?.read_at);
  const types = schema === undefined ? [] : ownTypes(schema).filter((type) => membersOf(type).length > 0);
  const { typeNames, fieldNames } = form.values;
  const input = (field: 'namespace' | 'typePrefix' | 'typeSuffix', label: string, placeholder: string) => (
    <TextField label={label} placeholder={placeholder} {...form.getInputProps(field)} />
  );
  return (
    <Stack gap="md">
      {input('namespace', 'Namespace of the root fields', 'shipping')}
      <div className={formClasses.pair}>
        {input('typePrefix', 'Prefix of types', 'Carrier')}
        {input('typeSuffix', 'Suffix of types', 'V2')}
      </div>
      <PairFields
        legend="Types with another name"
        noun="renamed type"
        placeholders={['Parcel', 'Package']}
        pairs={typeNames}
        onChange={(changed) => form.change({ typeNames: changed })}
      />
      <FieldNamesFields
        text={fieldNames}
        error={form.errors.fieldNames}
        types={types.map(({ name }) => name)}
        onChange={(text) => form.change({ fieldNames: text })}
      />
    </Stack>
  );
}
