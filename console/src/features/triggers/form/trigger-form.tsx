/** The form of an event trigger. */
import { Paper, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { type Reading, useEditConflict } from '../../../api/edit-conflict.ts';
import { useCommand } from '../../../api/use-command.ts';
import { navigate } from '../../../router/location.ts';
import { useSources, useSourcesVersion, useTableInfo } from '../../../shared/sources/use-sources.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { sentence } from '../../../ui/format.ts';
import { Disclosure } from '../../../ui/page/disclosure.tsx';
import { triggerPath } from '../trigger-state.ts';
import { saveTrigger, type TriggerEntry } from '../triggers-api.ts';
import { triggerQueries } from '../use-triggers.ts';
import { CleanupFields } from './cleanup-fields.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { DeliveryFields } from './delivery-fields.tsx';
import { RetryInputs } from './retry-inputs.tsx';
import { TableFields } from './table-fields.tsx';
import { TransformSection } from './transform-section.tsx';
import { tableOf, triggerErrors, triggerFieldAt, writeTrigger } from './trigger-arguments.ts';
import type { TriggerDraft } from './trigger-draft.ts';
import { WebhookFields } from './webhook-fields.tsx';

interface TriggerFormProps {
  /** The draft that the form opens with. */
  readonly initial: TriggerDraft;
  /** The present definition of the edited trigger. Undefined for a new one. */
  readonly edited: TriggerEntry | undefined;
  /** The path that the form was opened from. */
  readonly back: string;
  /** Number of invalid inputs in the condition. */
  readonly invalid: number;
}

interface Change {
  readonly args: string;
  readonly basedOn: number | undefined;
}

export function TriggerForm({ initial: opened, edited, back, invalid }: TriggerFormProps) {
  const [initial] = useState(opened);
  const { basis, newer } = useEditConflict(edited, useSourcesVersion());
  const form = useDraftForm<TriggerDraft>({
    initial,
    validate: (typed) => {
      const errors = triggerErrors(typed, basis.shown);
      if (invalid > 0 && typed.conditional) errors.condition ??= 'Correct the marked values.';
      return errors;
    },
    immediate: true,
  });
  const draft = form.values;
  const { data: sources = [] } = useSources();
  const source = sources.find(({ name }) => name === draft.source);
  const { data: info } = useTableInfo(draft.source, draft.table === '' ? undefined : tableOf(draft));
  const [rejections, setRejections] = useState(0);
  const root = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (rejections > 0) root.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus();
  }, [rejections]);
  const command = useCommand((client, { args, basedOn }: Change) => saveTrigger(client, args, basedOn), {
    notice: () => ({ title: edited === undefined ? 'Trigger created' : 'Trigger saved' }),
    onDone: () => navigate(triggerPath({ source: draft.source, name: draft.name.trim() })),
    onFailure: ({ path, message }) => {
      const field = triggerFieldAt(path, form.getValues());
      if (field === undefined) return;
      form.setErrors({ [field]: sentence(message) });
      setRejections((count) => count + 1);
    },
    changes: triggerQueries,
  });
  const { failure, isPending } = command;
  const isAtField = failure !== undefined && triggerFieldAt(failure.path, draft) !== undefined;
  const saveOn = ({ shown, version }: Reading<TriggerEntry | undefined>) =>
    form.onSubmit(
      (typed) => command.run({ args: writeTrigger(typed, shown), basedOn: shown === undefined ? undefined : version }),
      () => setRejections((count) => count + 1),
    );
  const hasError = (...fields: readonly string[]): boolean =>
    Object.keys(form.errors).some((field) => fields.some((one) => field === one || field.startsWith(`${one}.`)));
  const parts = { form, info };
  return (
    <form ref={root} onSubmit={saveOn(basis)} noValidate aria-label="Event trigger">
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={900} bg="var(--joinery-surface)">
        <Stack gap="lg">
          <TableFields {...parts} sources={sources} isNew={edited === undefined} />
          <ConditionFields {...parts} source={source} />
          <WebhookFields form={form} />
          <Disclosure
            title="Retries"
            hint="calls after a failure, waits, timeout"
            initiallyOpened={initial.retries !== '0'}
            hasError={hasError('retries', 'interval', 'timeout', 'retry_conf')}
          >
            <RetryInputs form={form} />
          </Disclosure>
          {draft.target === undefined && (
            <Disclosure
              title="Request on a real row"
              hint="transforms, and the exact body and headers"
              initiallyOpened={initial.transformsRequest || initial.transformsResponse}
              hasError={hasError('request', 'response')}
            >
              <TransformSection {...parts} />
            </Disclosure>
          )}
          <Disclosure
            title="Delivery"
            hint={`order, batches, debouncing${draft.target === undefined ? ', signature' : ''}`}
            initiallyOpened={initial.orderingKey.length > 0 || initial.batched || initial.debounced}
            hasError={hasError(
              'orderingKey',
              'maxEvents',
              'maxWait',
              'debounceKey',
              'window',
              'signing',
              'replication',
            )}
          >
            <DeliveryFields {...parts} />
          </Disclosure>
          <Disclosure
            title="Cleanup"
            hint="removes old events by a schedule"
            initiallyOpened={initial.cleans}
            hasError={hasError('schedule', 'olderThan')}
          >
            <CleanupFields form={form} />
          </Disclosure>
          <FormActions
            submit={edited === undefined ? 'Create the trigger' : 'Save the trigger'}
            command={{ failure: isAtField ? undefined : failure, isPending }}
            failed="The trigger was not saved"
            onSaveOver={newer && saveOn(newer)}
            onBack={() => navigate(back)}
          />
        </Stack>
      </Paper>
    </form>
  );
}
