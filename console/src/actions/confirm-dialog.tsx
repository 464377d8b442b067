/** Asks before something in the metadata is taken away, and takes it away. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { toFailure } from '../api/failure.ts';
import { FailureNotice } from '../show/failure-notice.tsx';
import { useLast } from '../show/use-last.ts';

interface ConfirmDialogProps {
  /** Undefined: the dialog is closed. */
  readonly title: string | undefined;
  readonly about: string;
  readonly confirm: string;
  readonly failed: string;
  readonly perform: () => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ConfirmDialog({ title, about, confirm, failed, perform, onClose, onDone }: ConfirmDialogProps) {
  const queries = useQueryClient();
  const shown = useLast(title);
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: perform,
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const close = (): void => {
    reset();
    onClose();
  };
  return (
    <Modal opened={title !== undefined} onClose={close} title={shown} centered zIndex={300}>
      <Stack gap="md">
        <Text size="sm">{about}</Text>
        {error !== null && <FailureNotice title={failed} failure={toFailure(error)} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={isPending} onClick={() => mutate()}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
