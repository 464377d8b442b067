/** The webhook of a trigger and its headers. */
import { NativeSelect } from '@mantine/core';
import { HeaderFields } from '../../../shared/headers/header-fields.tsx';
import classes from '../../../ui/form/form.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { TriggerFields } from './column-picker.tsx';
import type { TriggerDraft } from './trigger-draft.ts';

interface WebhookFieldsProps extends Pick<TriggerFields, 'form'> {
  /** Whether the trigger was opened without a webhook. */
  readonly hasTarget: boolean;
}

export function WebhookFields({ form, hasTarget }: WebhookFieldsProps) {
  const draft = form.values;
  const isTarget = draft.webhookFrom === 'target';
  const isUrl = draft.webhookFrom === 'url';
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          label="Where the URL comes from"
          description="Variables are those of the service's environment."
          value={draft.webhookFrom}
          data={[
            { value: 'url', label: 'Written here' },
            { value: 'environment', label: 'An environment variable' },
            ...(hasTarget ? [{ value: 'target', label: 'No webhook: the present target' }] : []),
          ]}
          onChange={(event) =>
            form.change({ webhookFrom: event.currentTarget.value as TriggerDraft['webhookFrom'] }, ['webhook'])
          }
        />
        {!isTarget && (
          <TextField
            label={isUrl ? 'Webhook URL' : 'Variable with the webhook URL'}
            description={isUrl ? 'May contain {{NAME}} for a variable.' : 'Its value is the whole URL.'}
            placeholder={isUrl ? '{{HOOKS}}/order-paid' : 'ORDER_HOOK'}
            required
            {...form.getInputProps('webhook')}
          />
        )}
      </div>
      {!isTarget && (
        <HeaderFields
          headers={draft.headers}
          onChange={(headers, field) => form.change({ headers }, [field])}
          errorOf={(field) => form.errors[field]}
        />
      )}
    </>
  );
}
