/** Inputs of a source: connection, pool, replicas and names. */
import { ActionIcon, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import formClasses from '../../ui/form/form.module.css';
import { TextField } from '../../ui/form/text-field.tsx';
import type { DraftForm } from '../../ui/form/use-draft-form.ts';
import classes from '../../ui/page/data-page.module.css';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import { type AddressDraft, addressOf, givenBy, isMissing, type SourceDraft } from './source-draft.ts';
import { describeAddress } from './source-text.ts';

interface AddressFieldsProps {
  readonly label: string;
  readonly address: AddressDraft;
  readonly problem: ReactNode;
  readonly onChange: (address: AddressDraft) => void;
}

const abouts = {
  environment: 'An environment variable of the service. The metadata contains its name only.',
  url: 'The metadata contains the URL with its password. Exports contain it too.',
  kept: 'The password is hidden. Choose another kind to replace the address.',
} as const;

export function AddressFields({ label, address, problem, onChange }: AddressFieldsProps) {
  const { from, text, before } = address;
  const isKept = from === 'kept';
  // An address that is shown completely needs no option to keep it.
  const mayBeKept = before !== undefined && addressOf(before).from === 'kept';
  return (
    <div>
      <div className={classes.address}>
        <NativeSelect
          label={`${label} from`}
          value={from}
          data={[
            ...(mayBeKept ? [{ value: 'kept', label: 'Unchanged' }] : []),
            { value: 'environment', label: 'Environment' },
            { value: 'url', label: 'URL' },
          ]}
          onChange={(event) => onChange(givenBy(address, event.currentTarget.value as AddressDraft['from']))}
        />
        <TextField
          label={from === 'environment' ? 'Variable' : isKept ? 'Address' : 'URL'}
          placeholder={from === 'environment' ? 'SHOP_DATABASE_URL' : 'postgres://user:password@host:5432/shop'}
          value={isKept ? describeAddress(before?.database_url) : text}
          readOnly={isKept}
          error={problem}
          onChange={(changed) => onChange({ ...address, text: changed })}
        />
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        {abouts[from]}
      </Text>
    </div>
  );
}

interface DraftFieldsProps {
  readonly form: DraftForm<SourceDraft>;
}

export function PoolFields({ form }: DraftFieldsProps) {
  const field = (name: 'maxConnections' | 'idleTimeout' | 'lifetime' | 'poolTimeout', label: string) => (
    <TextField
      label={label}
      inputMode={name === 'maxConnections' ? 'numeric' : 'decimal'}
      placeholder="as started"
      value={form.values[name]}
      error={form.errors[name]}
      onChange={(text) => form.change({ [name]: text })}
    />
  );
  return (
    <div className={classes.numbers}>
      {field('maxConnections', 'Maximum connections')}
      {field('idleTimeout', 'Idle timeout (s)')}
      {field('lifetime', 'Connection lifetime (s)')}
      {field('poolTimeout', 'Wait for a connection (s)')}
    </div>
  );
}

export function ReplicaFields({ form }: DraftFieldsProps) {
  const { replicas } = form.values;
  return (
    <Stack gap="xs">
      {replicas.map((replica, index) => (
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
              problem={isMissing(replica) ? form.errors.replicas : undefined}
              onChange={(next) => form.change({ replicas: replicas.with(index, next) })}
            />
          </div>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={36}
            mt={26}
            aria-label={`Remove read replica ${index + 1}`}
            onClick={() => form.change({ replicas: replicas.toSpliced(index, 1) })}
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
        onClick={() => form.change({ replicas: [...replicas, { from: 'environment', text: '' }] })}
      >
        Add a read replica
      </Button>
    </Stack>
  );
}

const conventions = [
  { value: '', label: 'Default of the service' },
  { value: 'hasura-default', label: 'hasura-default: names of the database' },
  { value: 'graphql-default', label: 'graphql-default: camel case' },
];

type NameField = 'namespace' | 'rootPrefix' | 'rootSuffix' | 'typePrefix' | 'typeSuffix';

export function NameFields({ form }: DraftFieldsProps) {
  const field = (name: NameField, label: string, more: { description?: string; placeholder?: string } = {}) => (
    <TextField
      label={label}
      {...more}
      value={form.values[name]}
      error={form.errors[name]}
      onChange={(text) => form.change({ [name]: text })}
    />
  );
  const { convention } = form.values;
  const isKnown = conventions.some(({ value }) => value === convention);
  return (
    <Stack gap="md">
      {field('namespace', 'Namespace of root fields', {
        description: 'All root fields are in one object of this name: { shop { customer { name } } }.',
      })}
      <div className={formClasses.pair}>
        {field('rootPrefix', 'Prefix of root fields', { placeholder: 'shop_' })}
        {field('rootSuffix', 'Suffix of root fields')}
      </div>
      <div className={formClasses.pair}>
        {field('typePrefix', 'Prefix of type names', { placeholder: 'Shop_' })}
        {field('typeSuffix', 'Suffix of type names')}
      </div>
      <Text size="xs" c="dimmed" mt="calc(-1 * var(--mantine-spacing-sm))">
        They distinguish tables of the same name in two sources.
      </Text>
      <NativeSelect
        label="Naming convention"
        data={isKnown ? conventions : [...conventions, { value: convention, label: convention }]}
        value={convention}
        onChange={(event) => form.change({ convention: event.currentTarget.value })}
      />
    </Stack>
  );
}
