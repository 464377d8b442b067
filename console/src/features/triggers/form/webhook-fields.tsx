/** What a trigger calls: a webhook with its headers, a saved operation or a function. */
import { NativeSelect, Stack } from '@mantine/core';
import { HeaderFields } from '../../../shared/headers/header-fields.tsx';
import { TargetFields } from '../../../shared/targets/target-fields.tsx';
import classes from '../../../ui/form/form.module.css';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { TriggerFields } from './column-picker.tsx';
import type { TriggerDraft } from './trigger-draft.ts';

export function WebhookFields({ form }: Pick<TriggerFields, 'form'>) {
  const draft = form.values;
  const isUrl = draft.webhookFrom === 'url';
  return (
    <TargetFields
      target={draft.target}
      body={rowOf(draft)}
      onChange={(target, field) => form.change({ target }, field === undefined ? [] : [field])}
      errorOf={(field) => form.errors[field]}
    >
      <Stack gap="lg">
        <div className={classes.pair}>
          <NativeSelect
            label="Source of the URL"
            description="Variables are those of the service's environment."
            value={draft.webhookFrom}
            data={[
              { value: 'url', label: 'Written here' },
              { value: 'environment', label: 'An environment variable' },
            ]}
            onChange={(event) =>
              form.change({ webhookFrom: event.currentTarget.value as TriggerDraft['webhookFrom'] }, ['webhook'])
            }
          />
          <TextField
            label={isUrl ? 'Webhook URL' : 'Variable with the webhook URL'}
            description={isUrl ? 'May contain {{NAME}} for a variable.' : 'Its value is the whole URL.'}
            placeholder={isUrl ? '{{HOOKS}}/order-paid' : 'ORDER_HOOK'}
            required
            {...form.getInputProps('webhook')}
          />
        </div>
        <HeaderFields
          headers={draft.headers}
          onChange={(headers, field) => form.change({ headers }, [field])}
          errorOf={(field) => form.errors[field]}
        />
      </Stack>
    </TargetFields>
  );
}

/** Returns the expression of the changed row in the body. Undefined for batches, whose body is a list. */
function rowOf(draft: TriggerDraft): string | undefined {
  if (draft.batched) return undefined;
  const isDeleted = draft.delete.enabled && !draft.insert.enabled && !draft.update.enabled;
  return `$body.event.data.${isDeleted ? 'old' : 'new'}`;
}
