/** The end of a form: why it was not done, the button that does it, and the way back. */
import { Button, Group } from '@mantine/core';
import { toFailure } from '../api/failure.ts';
import { FailureNotice } from './failure-notice.tsx';

interface FormEndProps {
  /** What the button says. */
  readonly submit: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  /** Of the last try; null without one. */
  readonly error: Error | null;
  /** What did not come about, such as `The source was not added`. */
  readonly failed: string;
  readonly onBack: () => void;
}

export function FormEnd({ submit, busy, disabled = false, error, failed, onBack }: FormEndProps) {
  return (
    <>
      {error !== null && <FailureNotice title={failed} failure={toFailure(error)} />}
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
