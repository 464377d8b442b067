/** Dialog with a form that changes the metadata and keeps its input on errors. */

import { Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommand } from '../../api/use-command.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { CancelButton } from '../../ui/form/cancel-button.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { SaveFailure } from '../../ui/form/save-failure.tsx';
import type { DraftForm } from '../../ui/form/use-draft-form.ts';

interface FormDialogProps<Draft> {
  readonly opened: boolean;
  readonly title: string;
  readonly confirm: string;
  readonly failed: string;
  readonly form: DraftForm<Draft>;
  readonly children: ReactNode;
  readonly perform: (draft: Draft) => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: (draft: Draft) => void;
}

interface Performed<Draft> {
  readonly draft: Draft;
  readonly perform: (draft: Draft) => Promise<void>;
}

export function FormDialog<Draft>(props: FormDialogProps<Draft>) {
  const { opened, title, confirm, failed, form, children, perform, onClose, onDone } = props;
  const command = useCommand((_client, performed: Performed<Draft>) => performed.perform(performed.draft), {
    onDone: (_result, { draft }) => onDone(draft),
  });
  const close = (): void => {
    command.reset();
    form.reset();
    onClose();
  };
  const saveBy = (chosen: Performed<Draft>['perform']) =>
    form.onSubmit((draft) => command.run({ draft, perform: chosen }));
  return (
    <Dialog opened={opened} onClose={close} title={title} size="lg" isUnsaved={form.isUnsaved}>
      <form onSubmit={saveBy(perform)}>
        <Stack gap="md">
          {children}
          {command.failure !== undefined && <SaveFailure title={failed} failure={command.failure} />}
          <Group justify="flex-end" gap="sm">
            <CancelButton onClick={close}>Cancel</CancelButton>
            <ReasonButton type="submit" loading={command.isPending} reason={form.invalid}>
              {confirm}
            </ReasonButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
