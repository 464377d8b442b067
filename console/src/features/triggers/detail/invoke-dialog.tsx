/** Creates a manual event with a payload. */

import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { jsonProblem } from '../../../api/exact-json.ts';
import { useCommand } from '../../../api/use-command.ts';
import { navigate } from '../../../router/location.ts';
import event from '../../../shared/event-form/event-form.module.css';
import { eventPath } from '../../../shared/events/event-paths.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { sentence } from '../../../ui/format.ts';
import { invokeTrigger, type TriggerName } from '../triggers-api.ts';
import { triggerQueries } from '../use-triggers.ts';

interface InvokeDialogProps {
  readonly trigger: TriggerName;
  readonly opened: boolean;
  /** JSON text, which the page keeps when the dialog is closed. */
  readonly payload: string;
  readonly onChange: (payload: string) => void;
  readonly onClose: () => void;
}

export function InvokeDialog({ trigger, opened, payload, onChange, onClose }: InvokeDialogProps) {
  const { run, reset, failure, isPending } = useCommand((client) => invokeTrigger(client, trigger, payload), {
    notice: () => ({ title: 'Event created', text: 'Its delivery is shown as it proceeds.' }),
    onDone: (id) => {
      onClose();
      navigate(eventPath({ id, source: trigger.source }));
    },
    changes: triggerQueries,
  });
  const problem = jsonProblem(payload);
  const close = (): void => {
    reset();
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={`Invoke ${trigger.name}`} size="lg">
      <Stack gap="md">
        <Text size="sm">Creates an event that has the payload as its new row.</Text>
        <Textarea
          label="Payload"
          description="Any JSON. It stays here when the dialog is closed."
          classNames={{ input: event.payload ?? '' }}
          autosize
          minRows={6}
          maxRows={18}
          spellCheck={false}
          value={payload}
          onChange={({ currentTarget: { value } }) => onChange(value)}
          error={problem === undefined ? undefined : sentence(problem)}
          data-autofocus
        />
        {failure !== undefined && <FailureNotice title="The event was not created" failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ReasonButton
            loading={isPending}
            reason={problem === undefined ? undefined : `Payload: ${problem}`}
            onClick={() => run()}
          >
            Create the event
          </ReasonButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
