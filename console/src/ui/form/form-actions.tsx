/** The end of a form: the error of the last attempt, submit and cancel. */
import { Button, Group } from '@mantine/core';
import type { CommandState } from '../../api/use-command.ts';
import { SaveFailure } from './save-failure.tsx';

interface FormActionsProps {
  /** Label of the button. */
  readonly submit: string;
  /** The command that the form runs. */
  readonly command: Pick<CommandState<unknown, never>, 'failure' | 'isPending'>;
  readonly disabled?: boolean;
  /** What failed, such as `The source was not added`. */
  readonly failed: string;
  /** See `SaveFailure`. */
  readonly onSaveOver?: (() => void) | undefined;
  readonly onBack: () => void;
  /** Label of the button that leaves the form. */
  readonly back?: string;
  /** Places the buttons as in dialogs: at the right, submit last. */
  readonly inDialog?: boolean;
}

export function FormActions(props: FormActionsProps) {
  const { submit, command, disabled = false, failed, onSaveOver, onBack, back = 'Back', inDialog = false } = props;
  const { failure, isPending } = command;
  const save = (
    <Button type="submit" loading={isPending} disabled={disabled}>
      {submit}
    </Button>
  );
  return (
    <>
      {failure !== undefined && <SaveFailure title={failed} failure={failure} onSaveOver={onSaveOver} />}
      {inDialog ? (
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onBack}>
            {back}
          </Button>
          {save}
        </Group>
      ) : (
        <Group>
          {save}
          <Button variant="subtle" color="gray" onClick={onBack}>
            {back}
          </Button>
        </Group>
      )}
    </>
  );
}
