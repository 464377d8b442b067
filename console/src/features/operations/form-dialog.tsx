/** Dialog with a form that changes the metadata and keeps its input on errors. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { SaveFailure } from '../../ui/form/save-failure.tsx';

interface FormDialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly confirm: string;
  readonly failed: string;
  readonly ready: boolean;
  readonly children: ReactNode;
  readonly perform: () => Promise<void>;
  /** Saves in spite of a conflict. Undefined when not supported. */
  readonly performOver?: (() => Promise<void>) | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function FormDialog(props: FormDialogProps) {
  const { opened, title, confirm, failed, ready, children, perform, performOver, onClose, onDone } = props;
  const queries = useQueryClient();
  const { mutate, reset, error, isPending } = useMutation({
    mutationFn: (doIt: () => Promise<void>) => doIt(),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  const close = (): void => {
    reset();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) mutate(perform);
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size="lg" centered>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          {error !== null && (
            <SaveFailure
              title={failed}
              error={error}
              onSaveOver={performOver && (() => ready && mutate(performOver))}
            />
          )}
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
