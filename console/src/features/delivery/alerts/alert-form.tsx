/** The form of an alert, in a drawer. */
import { type Alert, SetAlert } from '@joinery/metadata/api/events/alerts';
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { useCommand } from '../../../api/use-command.ts';
import { HeaderFields } from '../../../shared/headers/header-fields.tsx';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { schemaErrors } from '../../../ui/form/beside-text/schema-errors.ts';
import { FormActions } from '../../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { type AlertDraft, alertArguments, alertDraftOf } from './alert-draft.ts';

/** Without an alert, the form of a new one. */
export interface OpenedAlert {
  readonly alert: Alert | undefined;
}

interface AlertDrawerProps {
  readonly opened: OpenedAlert | undefined;
  readonly onClose: () => void;
}

export function AlertDrawer({ opened, onClose }: AlertDrawerProps) {
  return (
    <DetailDrawer
      subject={opened}
      title={({ alert }) => (alert === undefined ? 'Create an alert' : 'Alert')}
      size="form"
      onClose={onClose}
    >
      {({ alert }) => <AlertForm alert={alert} onClose={onClose} />}
    </DetailDrawer>
  );
}

const kinds: readonly { readonly value: AlertDraft['kind']; readonly label: string }[] = [
  { value: 'failure_rate', label: 'Calls fail' },
  { value: 'circuit_open', label: 'A circuit is open' },
  { value: 'backlog_age', label: 'Due events wait' },
];

const fields: Readonly<Record<string, string>> = {
  name: 'name',
  destination: 'destination',
  webhook: 'webhook',
  'rule.percent': 'percent',
  'rule.window_minutes': 'windowMinutes',
  'rule.min_calls': 'minCalls',
  'rule.seconds': 'seconds',
};

/** Returns the field that writes a member: `headers.0.value` for `headers[0].value_from_env`. */
function fieldOf(member: string): string | undefined {
  const header = /^headers\[(\d+)\](?:\.(name|value))?/.exec(member);
  return header === null ? fields[member] : `headers.${header[1]}.${header[2] ?? 'value'}`;
}

const messages = {
  percent: 'Must be a number from 0 to 100.',
  windowMinutes: 'Must be a whole number of minutes, at most 1440.',
  minCalls: 'Must be a whole number above zero.',
  seconds: 'Must be a number of seconds, at least 1.',
};

function AlertForm({ alert, onClose }: OpenedAlert & { readonly onClose: () => void }) {
  const client = useClient();
  const [deleted, setDeleted] = useState<string>();
  const form = useDraftForm<AlertDraft>({
    initial: alertDraftOf(alert),
    validate: (draft) => schemaErrors(SetAlert, alertArguments(draft), { fieldOf, messages }),
  });
  const command = useCommand(
    async (service, draft: AlertDraft) =>
      void (await service.command('set_alert', JSON.stringify(alertArguments(draft)))),
    {
      notice: () => ({
        title: alert === undefined ? 'Alert created' : 'Alert changed',
        text: 'It is checked within 15 seconds.',
      }),
      onDone: onClose,
      onFailure: ({ path, message }) => {
        const field = path === undefined ? undefined : fieldOf(path.replace('$.args.', ''));
        if (field !== undefined) form.setErrors({ [field]: message });
      },
      changes: [['delivery', 'alerts']],
    },
  );
  const { kind } = form.values;
  return (
    <form onSubmit={form.onSubmit((draft) => command.run(draft))} noValidate>
      <Stack gap="md">
        <TextInput label="Name" required disabled={alert !== undefined} {...form.getInputProps('name')} />
        <NativeSelect label="Condition" data={[...kinds]} {...form.getInputProps('kind')} />
        {kind === 'failure_rate' && (
          <Group grow align="flex-start">
            <TextInput label="Failed, in percent" inputMode="decimal" {...form.getInputProps('percent')} />
            <TextInput label="Within, in minutes" inputMode="numeric" {...form.getInputProps('windowMinutes')} />
            <TextInput label="With at least, in calls" inputMode="numeric" {...form.getInputProps('minCalls')} />
          </Group>
        )}
        {kind === 'backlog_age' && (
          <TextInput label="For more than, in seconds" inputMode="decimal" {...form.getInputProps('seconds')} />
        )}
        <TextInput
          label="Destination"
          description="Scheme, host and port, or the name of a target or an action; empty for all together."
          {...form.getInputProps('destination')}
        />
        <TextInput
          label="Webhook URL"
          description="It is called by a one-off event when the alert starts and when it ends, with the same retries, signature and log as other events."
          required
          {...form.getInputProps('webhook')}
        />
        <HeaderFields
          headers={form.values.headers}
          onChange={(headers) => form.change({ headers })}
          errorOf={(field) => form.errors[field]}
        />
        <Checkbox label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
        <FormActions
          submit={alert === undefined ? 'Create the alert' : 'Save the alert'}
          command={command}
          failed="The alert was not saved"
          onBack={onClose}
        />
        {alert !== undefined && (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              The end of an alert that is active is not sent when it is deleted or disabled.
            </Text>
            <Button size="xs" variant="default" onClick={() => setDeleted(alert.name)}>
              Delete
            </Button>
          </Group>
        )}
      </Stack>
      <ConfirmDialog
        title={deleted === undefined ? undefined : 'Delete this alert?'}
        about={`${deleted ?? ''} is no longer checked.`}
        confirm="Delete the alert"
        failed="The alert was not deleted"
        perform={async () => void (await client.command('delete_alert', { name: deleted ?? '' }))}
        onClose={() => setDeleted(undefined)}
        onDone={() => {
          setDeleted(undefined);
          onClose();
        }}
      />
    </form>
  );
}
