/** Order, batches, debouncing, signature, replication and pause of a trigger. */
import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import classes from '../../../ui/form/form.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import { ColumnPicker, type TriggerFields } from './column-picker.tsx';
import type { TriggerDraft } from './trigger-draft.ts';

export function DeliveryFields({ form, info }: TriggerFields) {
  const draft = form.values;
  const { signing } = form.errors;
  return (
    <Stack gap="lg">
      <ColumnPicker
        label="Ordering key"
        description="Events of rows with equal values are delivered one after the other, in the order of their commits."
        none="No order"
        info={info}
        value={draft.orderingKey}
        onChange={(orderingKey) => form.change({ orderingKey })}
        error={form.errors.orderingKey}
      />
      <div>
        <Checkbox
          label="Batches"
          description="Posts several events as a list."
          checked={draft.batched}
          onChange={(event) => form.change({ batched: event.currentTarget.checked })}
        />
        {draft.batched && (
          <div className={`${classes.pair} ${classes.inner}`} style={{ marginTop: '0.5rem' }}>
            <TextField
              label="Maximum events in a call"
              description="1 to 1000."
              inputMode="numeric"
              {...form.getInputProps('maxEvents')}
            />
            <TextField
              label="Longest wait in milliseconds"
              description="For further events; empty for none."
              inputMode="numeric"
              {...form.getInputProps('maxWait')}
            />
          </div>
        )}
      </div>
      <div>
        <Checkbox
          label="Debounce"
          description="Delivers the last change of rows with equal values within a window."
          checked={draft.debounced}
          onChange={(event) => form.change({ debounced: event.currentTarget.checked })}
        />
        {draft.debounced && (
          <div className={`${classes.pair} ${classes.inner}`} style={{ marginTop: '0.5rem' }}>
            <ColumnPicker
              label="Debounce key"
              description="Such as the primary key."
              none="Choose columns"
              info={info}
              value={draft.debounceKey}
              onChange={(debounceKey) => form.change({ debounceKey })}
              error={form.errors.debounceKey}
            />
            <TextField
              label="Window in milliseconds"
              description="At most a day."
              inputMode="numeric"
              {...form.getInputProps('window')}
            />
          </div>
        )}
      </div>
      {draft.target === undefined && (
        <div className={classes.pair}>
          <NativeSelect
            label="Signature"
            description="As in Standard Webhooks, so that receivers can authenticate requests."
            value={draft.signing}
            data={[
              { value: 'settings', label: 'Keys of the service' },
              { value: 'own', label: 'Keys in a variable' },
              { value: 'none', label: 'Not signed' },
            ]}
            onChange={(event) => form.change({ signing: event.currentTarget.value as TriggerDraft['signing'] })}
            error={draft.signing === 'own' ? undefined : signing}
          />
          {draft.signing === 'own' && (
            <TextField
              label="Variable with the keys"
              description="Of the service's environment; whsec_ or whsk_."
              placeholder="SHOP_HOOK_KEY"
              value={draft.signingVariable}
              onChange={(signingVariable) => form.change({ signingVariable }, ['signingVariable', 'signing'])}
              error={signing}
            />
          )}
        </div>
      )}
      <Checkbox
        label="Changes by replication cause events"
        description="Those that a subscription of logical replication applies to this database."
        checked={draft.replication}
        onChange={(event) => form.change({ replication: event.currentTarget.checked })}
        error={form.errors.replication}
      />
      <Checkbox
        label="Paused"
        description="Events are stored, and delivered when the trigger is resumed."
        checked={draft.paused}
        onChange={(event) => form.change({ paused: event.currentTarget.checked })}
      />
    </Stack>
  );
}
