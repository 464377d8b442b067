/** The end of a form: the error of the last attempt, submit and cancel. */
import { Button, Group } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import type { CommandState } from '../../api/use-command.ts';
import { SaveFailure } from './save-failure.tsx';

interface FormActionsProps {
  /** Label of the button. */
  readonly submit: string;
  /** The command that the form runs. */
  readonly command?: Pick<CommandState<unknown, never>, 'failure' | 'isPending'>;
  readonly busy?: boolean;
  readonly error?: Error | null;
  readonly disabled?: boolean;
  /** What failed, such as `The source was not added`. */
  readonly failed: string;
  /** See `SaveFailure`. */
  readonly onSaveOver?: (() => void) | undefined;
  readonly onBack: () => void;
}

export function FormActions({
  submit,
  command,
  busy,
  error,
  disabled = false,
  failed,
  onSaveOver,
  onBack,
}: FormActionsProps) {
  const failure = command === undefined ? (error ? toFailure(error) : undefined) : command.failure;
  return (
    <>
      {failure !== undefined && <SaveFailure title={failed} failure={failure} onSaveOver={onSaveOver} />}
      <Group>
        <Button type="submit" loading={command?.isPending ?? busy ?? false} disabled={disabled}>
          {submit}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack}>
          Back
        </Button>
      </Group>
    </>
  );
}
