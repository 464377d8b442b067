/** The cleanup of old events of a trigger. */
import { Checkbox, Stack } from '@mantine/core';
import classes from '../../../ui/form/form.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { TriggerFields } from './column-picker.tsx';

export function CleanupFields({ form }: Pick<TriggerFields, 'form'>) {
  const draft = form.values;
  return (
    <Stack gap="md">
      <Checkbox
        label="Remove old events"
        description="Only delivered, failed and dead events are removed, never pending ones."
        checked={draft.cleans}
        onChange={(event) => form.change({ cleans: event.currentTarget.checked })}
      />
      {draft.cleans && (
        <Stack gap="md" className={classes.inner ?? ''}>
          <div className={classes.pair}>
            <TextField
              label="Schedule of the cleanup"
              description="Five fields, in UTC: 0 0 * * * is every midnight."
              placeholder="0 0 * * *"
              {...form.getInputProps('schedule')}
            />
            <TextField
              label="Older than hours"
              description="168 hours are a week."
              inputMode="numeric"
              {...form.getInputProps('olderThan')}
            />
          </div>
          <Checkbox
            label="Remove the log of their calls too"
            checked={draft.cleansCalls}
            onChange={(event) => form.change({ cleansCalls: event.currentTarget.checked })}
          />
          <Checkbox
            label="Cleanup is paused"
            checked={draft.cleanupPaused}
            onChange={(event) => form.change({ cleanupPaused: event.currentTarget.checked })}
          />
        </Stack>
      )}
    </Stack>
  );
}
