/** Confirms a redelivery of events. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useCommand } from '../../../api/use-command.ts';
import { navigate } from '../../../router/location.ts';
import { useLast } from '../../../ui/dialog/use-last.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { counted } from '../../../ui/format.ts';
import { triggerPath } from '../trigger-state.ts';
import { redeliverEvent, redeliverEvents, type TriggerName } from '../triggers-api.ts';
import { triggerQueries } from '../use-triggers.ts';
import { describeRedelivery, type Redelivery } from './redelivery.ts';

interface RedeliverDialogProps {
  readonly trigger: TriggerName & { readonly paused: boolean };
  /** Undefined closes the dialog. */
  readonly redelivery: Redelivery | undefined;
  readonly onClose: () => void;
}

export function RedeliverDialog({ trigger, redelivery, onClose }: RedeliverDialogProps) {
  const shown = useLast(redelivery);
  const { run, reset, failure, isPending } = useCommand(
    async (client, chosen: Redelivery) => {
      if (!('event' in chosen)) return redeliverEvents(client, trigger, chosen.statuses, chosen.search);
      await redeliverEvent(client, trigger.source, chosen.event);
      return { redelivered: 1, more: false };
    },
    {
      notice: ({ redelivered, more }) => ({
        title: redelivered === 0 ? 'No event matched' : `${counted(redelivered, 'event')} queued for redelivery`,
        text: noticeText(redelivered, more, trigger.paused),
      }),
      onDone: ({ redelivered }, chosen) => {
        onClose();
        // Many events are followed in their list, one event in its drawer.
        if (!('event' in chosen) && redelivered > 0) navigate(triggerPath(trigger, 'pending'));
      },
      changes: triggerQueries,
    },
  );
  const close = (): void => {
    reset();
    onClose();
  };
  const what = shown === undefined ? '' : describeRedelivery(shown);
  return (
    <Modal opened={redelivery !== undefined} onClose={close} title={`Redeliver ${what}?`} centered zIndex={300}>
      <Stack gap="md">
        <Text size="sm">
          Pending again and due now, with the same ID and data, by the present definition of the trigger. Retries start
          again, the log continues.
        </Text>
        {failure !== undefined && <FailureNotice title="Nothing was redelivered" failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            Back
          </Button>
          <Button loading={isPending} onClick={() => shown !== undefined && run(shown)}>
            Redeliver {what}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function noticeText(redelivered: number, more: boolean, paused: boolean): string {
  if (redelivered === 0) return 'Nothing was changed.';
  if (paused) return 'Delivered when the trigger is resumed.';
  return more ? 'There are more: redeliver again for the next ones.' : 'The lists follow their delivery.';
}
