/** The retries of a trigger. */
import { Stack } from '@mantine/core';
import classes from '../../../shared/event-form/event-form.module.css';
import { RetryFields } from '../../../shared/event-form/retry-fields.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { TriggerFields } from './column-picker.tsx';

const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

export function RetryInputs({ form }: Pick<TriggerFields, 'form'>) {
  const numeric = { inputMode: 'numeric', inputWrapperOrder: order } as const;
  return (
    <Stack gap="md">
      <div className={classes.retries}>
        <TextField
          label="Retries"
          description="Calls after the first one fails."
          {...numeric}
          {...form.getInputProps('retries')}
        />
        <TextField
          label="Seconds between calls"
          description="The wait before a retry."
          {...numeric}
          {...form.getInputProps('interval')}
        />
        <TextField
          label="Timeout in seconds"
          description="The longest duration of a call."
          {...numeric}
          {...form.getInputProps('timeout')}
        />
      </div>
      <RetryFields
        rules={form.values.rules}
        onChange={(rules, field) => form.change({ rules }, [field])}
        errorOf={(field) => form.errors[field]}
      />
    </Stack>
  );
}
