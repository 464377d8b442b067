/** Saves or discards the changes of an action. Sticks to the lower edge of the window. */
import { Button, Group, Text } from '@mantine/core';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { SaveFailure } from '../../../ui/form/save-failure.tsx';
import classes from '../actions.module.css';
import type { ActionForm } from './use-action-form.ts';

interface SaveBarProps {
  readonly action: ActionForm;
  /** The tabs with changes. */
  readonly changed: readonly string[];
}

export function SaveBar({ action, changed }: SaveBarProps) {
  const { command, problem, save, onSaveOver, discard } = action;
  const reason = problem ?? (changed.length === 0 ? 'There are no changes to save.' : undefined);
  return (
    <div className={classes.saveBar}>
      {command.failure !== undefined && (
        <SaveFailure title="The action was not saved" failure={command.failure} onSaveOver={onSaveOver} />
      )}
      <Group gap="sm">
        <ReasonButton reason={reason} loading={command.isPending} onClick={save}>
          Save the action
        </ReasonButton>
        {changed.length > 0 && (
          <Button variant="default" onClick={discard}>
            Discard the changes
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {changed.length > 0 && `Not saved: ${changed.join(', ')}.`}
        </Text>
      </Group>
    </div>
  );
}
