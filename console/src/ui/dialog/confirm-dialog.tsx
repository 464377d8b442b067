/** Confirms and runs a removal. */
import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommand } from '../../api/use-command.ts';
import { FailureNotice } from '../feedback/failure-notice.tsx';
import { Dialog } from './dialog.tsx';
import { useLast } from './use-last.ts';

interface ConfirmDialogProps {
  /** Undefined closes the dialog. */
  readonly title: string | undefined;
  readonly about: string;
  /** Content below the text: an option or details. */
  readonly children?: ReactNode;
  readonly confirm: string;
  readonly failed: string;
  readonly perform: () => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ConfirmDialog({
  title,
  about,
  children,
  confirm,
  failed,
  perform,
  onClose,
  onDone,
}: ConfirmDialogProps) {
  const shown = useLast(title);
  const { run, reset, failure, isPending } = useCommand(() => perform(), { onDone });
  const close = (): void => {
    reset();
    onClose();
  };
  return (
    <Dialog opened={title !== undefined} onClose={close} title={shown}>
      <Stack gap="md">
        <Text size="sm">{about}</Text>
        {children}
        {failure !== undefined && <FailureNotice title={failed} failure={failure} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={isPending} onClick={() => run()}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
