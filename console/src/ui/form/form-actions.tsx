/** The end of a form: why it was not done, the button that does it, and the way back. */
import { Button, Group } from '@mantine/core';
import { SaveFailure } from './save-failure.tsx';

interface FormActionsProps {
  /** What the button says. */
  readonly submit: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  /** Of the last try; null without one. */
  readonly error: Error | null;
  /** What did not come about, such as `The source was not added`. */
  readonly failed: string;
  /** As `SaveFailure` takes it. */
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
