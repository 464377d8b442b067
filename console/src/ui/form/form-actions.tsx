/**
 * The end of a form: the error of the last attempt, cancel and submit. In dialogs and drawers the buttons are at the right,
 * on pages at the left.
 */
import { Group } from '@mantine/core';
import { useContext } from 'react';
import type { CommandState } from '../../api/use-command.ts';
import { CancelButton } from './cancel-button.tsx';
import { ReasonButton } from './reason-button.tsx';
import { SaveFailure } from './save-failure.tsx';
import { WorkScopeContext } from './use-unsaved-work.ts';

interface FormActionsProps {
  /** Label of the button. */
  readonly submit: string;
  /** The command that the form runs. */
  readonly command: Pick<CommandState<unknown, never>, 'failure' | 'isPending'>;
  /** Why the button is disabled. Undefined enables it. */
  readonly reason?: string | undefined;
  /** What failed, such as `The source was not added`. */
  readonly failed: string;
  /** See `SaveFailure`. */
  readonly onSaveOver?: (() => void) | undefined;
  readonly onBack: () => void;
}

export function FormActions(props: FormActionsProps) {
  const { submit, command, reason, failed, onSaveOver, onBack } = props;
  const isOverlay = useContext(WorkScopeContext) !== undefined;
  const { failure, isPending } = command;
  return (
    <>
      {failure !== undefined && <SaveFailure title={failed} failure={failure} onSaveOver={onSaveOver} />}
      <Group gap="sm" justify={isOverlay ? 'flex-end' : 'flex-start'}>
        <CancelButton onClick={onBack}>Cancel</CancelButton>
        <ReasonButton type="submit" loading={isPending} reason={reason}>
          {submit}
        </ReasonButton>
      </Group>
    </>
  );
}
