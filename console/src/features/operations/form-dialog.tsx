/** Dialog with a form that changes the metadata and keeps its input on errors. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommand } from '../../api/use-command.ts';
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
  /** Saves in spite of a conflict. Undefined when not supported. */
  readonly performOver?: ((draft: Draft) => Promise<void>) | undefined;
  readonly onClose: () => void;
  readonly onDone: (draft: Draft) => void;
}

interface Performed<Draft> {
  readonly draft: Draft;
  readonly perform: (draft: Draft) => Promise<void>;
}

export function FormDialog<Draft>(props: FormDialogProps<Draft>) {
  const { opened, title, confirm, failed, form, children, perform, performOver, onClose, onDone } = props;
  const command = useCommand((_client, performed: Performed<Draft>) => performed.perform(performed.draft), {
    onDone: (_result, { draft }) => onDone(draft),
  });
  const close = (): void => {
    command.reset();
    onClose();
  };
  const saveBy = (chosen: Performed<Draft>['perform']) =>
    form.onSubmit((draft) => command.run({ draft, perform: chosen }));
  return (
    <Modal opened={opened} onClose={close} title={title} size="lg" centered>
      <form onSubmit={saveBy(perform)}>
        <Stack gap="md">
          {children}
          {command.failure !== undefined && (
            <SaveFailure title={failed} failure={command.failure} onSaveOver={performOver && saveBy(performOver)} />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Back
            </Button>
            <Button type="submit" loading={command.isPending} disabled={!form.isValid()}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
