/** A small form in a dialog that changes the metadata: it keeps what was typed when that is refused. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { toFailure } from '../api/failure.ts';
import { FailureNotice } from '../show/failure-notice.tsx';

interface FormDialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly confirm: string;
  readonly failed: string;
  readonly ready: boolean;
  readonly children: ReactNode;
  readonly perform: () => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function FormDialog(props: FormDialogProps) {
  const { opened, title, confirm, failed, ready, children, perform, onClose, onDone } = props;
  const queries = useQueryClient();
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: perform,
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const close = (): void => {
    reset();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) mutate();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size="lg" centered>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          {error !== null && <FailureNotice title={failed} failure={toFailure(error)} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Back
            </Button>
            <Button type="submit" loading={isPending} disabled={!ready}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
