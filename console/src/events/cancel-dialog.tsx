/** Asks before a pending event is deleted, and deletes it. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { useNotice } from '../show/notices.tsx';
import { localText } from '../show/times.ts';
import { useLast } from '../show/use-last.ts';
import { cancelEvent, type ScheduledEvent } from './event-api.ts';
import { refreshEvents } from './refresh.ts';

interface CancelDialogProps {
  /** Undefined: the dialog is closed. */
  readonly event: ScheduledEvent | undefined;
  readonly onClose: () => void;
  readonly onCancelled: () => void;
}

export function CancelDialog({ event, onClose, onCancelled }: CancelDialogProps) {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const shown = useLast(event);
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: (cancelled: ScheduledEvent) => cancelEvent(client, cancelled),
    onSuccess: (_answer, cancelled) => {
      tell({ title: 'Event cancelled', text: `${cancelled.webhook_conf} will not be called.` });
      onCancelled();
    },
    onSettled: () => refreshEvents(queries),
  });
  useEffect(() => {
    if (event === undefined) reset();
  }, [event, reset]);
  return (
    <Modal opened={event !== undefined} onClose={onClose} title="Cancel this event?" centered zIndex={300}>
      {shown !== undefined && (
        <Stack gap="md">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <strong>{shown.webhook_conf}</strong> will not be called on{' '}
            {localText(Date.parse(shown.next_retry_at ?? shown.scheduled_time))}. The event and its log are deleted;
            this cannot be undone.
          </Text>
          {shown.status === 'locked' && (
            <Text size="sm">Its call may be under way: the webhook then gets it all the same, and no log is kept.</Text>
          )}
          {error !== null && <FailureNotice title="The event was not cancelled" failure={toFailure(error)} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose} data-autofocus>
              Keep it
            </Button>
            <Button color="red" loading={isPending} onClick={() => mutate(shown)}>
              Cancel the event
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
