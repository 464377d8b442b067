/** The end of a form: the error of the last attempt, submit and cancel. */
import { Button, Group } from '@mantine/core';
import { SaveFailure } from './save-failure.tsx';

interface FormActionsProps {
  /** Label of the button. */
  readonly submit: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  /** The error of the last attempt, or null. */
  readonly error: Error | null;
  /** What failed, such as `The source was not added`. */
  readonly failed: string;
  /** See `SaveFailure`. */
  readonly onSaveOver?: (() => void) | undefined;
  readonly onBack: () => void;
}

export function FormActions({ submit, busy, disabled = false, error, failed, onSaveOver, onBack }: FormActionsProps) {
  return (
    <>
      {error !== null && <SaveFailure title={failed} error={error} onSaveOver={onSaveOver} />}
      <Group>
        <Button type="submit" loading={busy} disabled={disabled}>
          {submit}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack}>
          Back
        </Button>
      </Group>
    </>
  );
}
