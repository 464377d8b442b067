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
}

export function FormActions({ submit, command, disabled = false, failed, onSaveOver, onBack }: FormActionsProps) {
  const { failure, isPending } = command;
  return (
    <>
      {failure !== undefined && <SaveFailure title={failed} failure={failure} onSaveOver={onSaveOver} />}
      <Group>
        <Button type="submit" loading={isPending} disabled={disabled}>
          {submit}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack}>
          Back
        </Button>
      </Group>
    </>
  );
}
