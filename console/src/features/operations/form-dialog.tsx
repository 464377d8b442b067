/** Dialog with a form that changes the metadata and keeps its input on errors. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useCommand } from '../../api/use-command.ts';
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
  const { run, reset, failure, isPending } = useCommand((_client, doIt: () => Promise<void>) => doIt(), {
    onDone,
  });
  const close = (): void => {
    reset();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (ready) run(perform);
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size="lg" centered>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          {failure !== undefined && (
            <SaveFailure title={failed} error={failure} onSaveOver={performOver && (() => ready && run(performOver))} />
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
