/** Inputs for retry options beyond the basic four. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldName } from './event-draft.ts';
import classes from './event-form.module.css';
import type { BackoffField, RetryDraft } from './retry-settings.ts';

interface RetryFieldsProps {
  readonly rules: RetryDraft;
  readonly onChange: (rules: RetryDraft, field: FieldName) => void;
  readonly errorOf: (field: FieldName) => ReactNode;
}

const texts: readonly {
  readonly field: Exclude<BackoffField, 'backoff' | 'final_client_errors'>;
  readonly label: string;
  readonly about: string;
}[] = [
  {
    field: 'max_retry_interval_seconds',
    label: 'Longest wait in seconds',
    about: 'The maximum of exponential waits. Default: 3600.',
  },
  { field: 'jitter', label: 'Jitter', about: '0 to 1: each wait is shorter by a random share.' },
  {
    field: 'retry_delays_seconds',
    label: 'Explicit waits',
    about: 'Seconds, such as 5, 30, 300. They replace the settings above.',
  },
];

export function RetryFields({ rules, onChange, errorOf }: RetryFieldsProps) {
  return (
    <>
      <div className={classes.retries}>
        <NativeSelect
          label="Waits between calls"
          description="Exponential: each is twice the previous one."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={rules.backoff}
          data={[
            { value: 'fixed', label: 'Fixed' },
            { value: 'exponential', label: 'Exponential' },
          ]}
          onChange={(event) =>
            onChange({ ...rules, backoff: event.currentTarget.value as RetryDraft['backoff'] }, 'retry_conf.backoff')
          }
        />
        {texts.map(({ field, label, about }) => (
          <TextInput
            key={field}
            label={label}
            description={about}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            value={rules[field]}
            onChange={(event) => onChange({ ...rules, [field]: event.currentTarget.value }, `retry_conf.${field}`)}
            error={errorOf(`retry_conf.${field}`)}
          />
        ))}
      </div>
      <Checkbox
        mt="md"
        label="Do not retry 4xx responses, except 408, 425 and 429"
        checked={rules.final_client_errors}
        onChange={(event) =>
          onChange({ ...rules, final_client_errors: event.currentTarget.checked }, 'retry_conf.final_client_errors')
        }
      />
    </>
  );
}
