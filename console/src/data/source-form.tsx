/** Adds a source: its name, where the database is, and under Advanced how it is reached and named. */
import { ActionIcon, Button, Collapse, Drawer, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useClient } from '../api/context.ts';
import { go } from '../router/place.ts';
import { FormEnd } from '../show/form-end.tsx';
import { CrossIcon, PlusIcon } from '../show/icons.tsx';
import { useNotice } from '../show/notices.tsx';
import classes from './data.module.css';
import { addSource } from './data-api.ts';
import { type AddressDraft, emptySource, faultsIn, type SourceDraft, sourceArguments } from './source-draft.ts';
import { sourcePath } from './table-paths.ts';

export function SourceDrawer({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="min(38rem, 100%)" title="Add a source">
      {opened && <SourceForm onClose={onClose} />}
    </Drawer>
  );
}

function SourceForm({ onClose }: { readonly onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const [draft, setDraft] = useState<SourceDraft>(emptySource);
  const [told, setTold] = useState(false);
  const [advanced, setAdvanced] = useState(false);
  const region = useId();
  const faults = told ? faultsIn(draft) : {};
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => addSource(client, sourceArguments(draft)),
    onSuccess: () => {
      tell({ title: `${draft.name.trim()} was added`, text: 'Track its tables to have them in the GraphQL schema.' });
      go(sourcePath(draft.name.trim()));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTold(true);
    if (Object.keys(faultsIn(draft)).length === 0) mutate();
  };
  const text = (field: 'name' | 'maxConnections' | 'idleTimeout' | 'poolTimeout' | 'namespace' | 'prefix') => ({
    value: draft[field],
    error: faults[field],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [field]: event.currentTarget.value }),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" pb="xl">
        <TextInput label="Name" placeholder="shop" required data-autofocus {...text('name')} />
        <AddressFields
          label="Database"
          address={draft.address}
          fault={faults.address}
          onChange={(address) => setDraft({ ...draft, address })}
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
            <div className={classes.three}>
              <TextInput
                label="Connections at most"
                inputMode="numeric"
                placeholder="as started"
                {...text('maxConnections')}
              />
              <TextInput
                label="Idle timeout (s)"
                inputMode="decimal"
                placeholder="as started"
                {...text('idleTimeout')}
              />
              <TextInput
                label="Wait for one (s)"
                inputMode="decimal"
                placeholder="as started"
                {...text('poolTimeout')}
              />
            </div>
            <Stack gap="xs">
              {draft.replicas.map((replica, index) => (
                <Group
                  // biome-ignore lint/suspicious/noArrayIndexKey: replicas have nothing but their place
                  key={index}
                  align="start"
                  gap="xs"
                  wrap="nowrap"
                >
                  <div className={classes.grow}>
                    <AddressFields
                      label={`Replica ${index + 1}`}
                      address={replica}
                      fault={replica.text.trim() === '' ? faults.replicas : undefined}
                      onChange={(next) => setDraft({ ...draft, replicas: draft.replicas.with(index, next) })}
                    />
                  </div>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={36}
                    mt={26}
                    aria-label={`Remove read replica ${index + 1}`}
                    onClick={() => setDraft({ ...draft, replicas: draft.replicas.toSpliced(index, 1) })}
                  >
                    <CrossIcon size={16} />
                  </ActionIcon>
                </Group>
              ))}
              <Button
                variant="default"
                size="xs"
                leftSection={<PlusIcon size={14} />}
                style={{ alignSelf: 'flex-start' }}
                onClick={() => setDraft({ ...draft, replicas: [...draft.replicas, { from: 'environment', text: '' }] })}
              >
                Add a read replica
              </Button>
            </Stack>
            <TextInput
              label="Namespace of root fields"
              description="The root fields stand in one object of this name: { shop { customer { name } } }."
              {...text('namespace')}
            />
            <TextInput
              label="Prefix of type names"
              description="Keeps tables of the same name in two sources apart."
              placeholder="Shop_"
              {...text('prefix')}
            />
          </Stack>
        </Collapse>
        <FormEnd
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

interface AddressFieldsProps {
  readonly label: string;
  readonly address: AddressDraft;
  readonly fault: string | undefined;
  readonly onChange: (address: AddressDraft) => void;
}

function AddressFields({ label, address, fault, onChange }: AddressFieldsProps) {
  const fromEnvironment = address.from === 'environment';
  return (
    <div>
      <div className={classes.address}>
        <NativeSelect
          label={`${label} from`}
          value={address.from}
          data={[
            { value: 'environment', label: 'Environment' },
            { value: 'url', label: 'URL' },
          ]}
          onChange={(event) => onChange({ ...address, from: event.currentTarget.value as AddressDraft['from'] })}
        />
        <TextInput
          label={fromEnvironment ? 'Variable' : 'URL'}
          placeholder={fromEnvironment ? 'SHOP_DATABASE_URL' : 'postgres://user:password@host:5432/shop'}
          autoComplete="off"
          spellCheck={false}
          value={address.text}
          error={fault}
          onChange={(event) => onChange({ ...address, text: event.currentTarget.value })}
        />
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {fromEnvironment
          ? 'A variable of the service’s environment, so that the metadata holds no secret.'
          : 'It is written in the metadata, its password too, and exported with it.'}
      </Text>
    </div>
  );
}
