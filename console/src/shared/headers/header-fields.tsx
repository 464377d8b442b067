/** Inputs for headers: name, and value or environment variable. */
import { ActionIcon, Button, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CrossIcon, PlusIcon } from '../../ui/page/icons.tsx';
import type { FieldName } from '../event-form/event-draft.ts';
import classes from '../event-form/event-form.module.css';
import type { HeaderDraft } from './header-draft.ts';

interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  readonly onChange: (headers: readonly HeaderDraft[], field: FieldName) => void;
  readonly errorOf: (field: FieldName) => ReactNode;
  /** Text that is shown without headers. */
  readonly none?: string;
}

const sentAlways = 'Only those that the service sets, such as Content-Type and webhook-id.';

export function HeaderFields({ headers, onChange, errorOf, none = sentAlways }: HeaderFieldsProps) {
  const add = (): void => {
    const key = Math.max(0, ...headers.map((header) => header.key)) + 1;
    onChange([...headers, { key, name: '', from: 'value', text: '' }], 'headers');
  };
  const whole = errorOf('headers');
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>Headers</legend>
      <Stack gap="xs" align="stretch">
        {headers.length === 0 && (
          <Text size="sm" c="dimmed">
            {none}
          </Text>
        )}
        {headers.map((header, index) => (
          <HeaderRow
            key={header.key}
            header={header}
            place={index + 1}
            onChange={(changed, field) =>
              onChange(
                headers.map((one) => (one.key === changed.key ? changed : one)),
                field,
              )
            }
            onRemove={() =>
              onChange(
                headers.filter(({ key }) => key !== header.key),
                'headers',
              )
            }
            errorOf={errorOf}
          />
        ))}
        {whole !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)">
            {whole}
          </Text>
        )}
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={14} />}
          onClick={add}
          style={{ alignSelf: 'flex-start' }}
        >
          Add a header
        </Button>
      </Stack>
    </fieldset>
  );
}

interface HeaderRowProps {
  readonly header: HeaderDraft;
  /** Starts at 1. */
  readonly place: number;
  readonly onChange: (header: HeaderDraft, field: FieldName) => void;
  readonly onRemove: () => void;
  readonly errorOf: (field: FieldName) => ReactNode;
}

function HeaderRow({ header, place, onChange, onRemove, errorOf }: HeaderRowProps) {
  const nameField: FieldName = `headers.${header.key}.name`;
  const valueField: FieldName = `headers.${header.key}.value`;
  const fromEnvironment = header.from === 'environment';
  return (
    <div className={classes.header}>
      <TextInput
        aria-label={`Name of header ${place}`}
        placeholder="X-Api-Key"
        autoComplete="off"
        spellCheck={false}
        value={header.name}
        onChange={(event) => onChange({ ...header, name: event.currentTarget.value }, nameField)}
        error={errorOf(nameField)}
      />
      <NativeSelect
        aria-label={`Source of the value of header ${place}`}
        value={header.from}
        onChange={(event) =>
          onChange({ ...header, from: event.currentTarget.value as HeaderDraft['from'] }, valueField)
        }
        data={[
          { value: 'value', label: 'Value' },
          { value: 'environment', label: 'Environment' },
        ]}
      />
      <TextInput
        aria-label={`${fromEnvironment ? 'Variable' : 'Value'} of header ${place}`}
        placeholder={fromEnvironment ? 'NOTIFY_KEY' : 'Value'}
        autoComplete="off"
        spellCheck={false}
        value={header.text}
        onChange={(event) => onChange({ ...header, text: event.currentTarget.value }, valueField)}
        error={errorOf(valueField)}
      />
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={`Remove header ${place}`} onClick={onRemove}>
        <CrossIcon size={16} />
      </ActionIcon>
    </div>
  );
}
