/** Operations that are saved by name in this browser. */

import { ActionIcon, Anchor, Group, Text, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import {
  removeOperation,
  type SavedOperation,
  savedOperations,
  saveOperation,
} from '../../../shared/graphql/saved-operations.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { CrossIcon } from '../../../ui/page/icons.tsx';
import classes from './history.module.css';
import { titleOf } from './history.ts';

interface FavoritesPanelProps {
  readonly query: string;
  readonly variables: string;
  readonly onOpen: (saved: SavedOperation) => void;
}

export function FavoritesPanel({ query, variables, onOpen }: FavoritesPanelProps) {
  const [saved, setSaved] = useState(() => savedOperations(window.localStorage));
  const form = useDraftForm({ initial: { name: '' }, isTransient: true });
  const name = form.values.name.trim();
  const [failed, setFailed] = useState(false);
  const store = form.onSubmit(() => {
    try {
      setSaved(saveOperation(window.localStorage, { name, query, variables }));
      setFailed(false);
      form.reset();
    } catch {
      setFailed(true);
    }
  });
  const remove = (operation: SavedOperation): void => {
    setSaved(removeOperation(window.localStorage, operation.name));
    const restore = (): void => setSaved(saveOperation(window.localStorage, operation));
    const undo = (
      <Anchor component="button" type="button" onClick={restore}>
        Undo
      </Anchor>
    );
    notify({ title: `The favorite ${operation.name} was removed`, text: undo });
  };
  const replaces = saved.some((one) => one.name === name);
  const isEmpty = query.trim() === '';
  return (
    <div className={classes.panel}>
      <form onSubmit={store}>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            size="xs"
            flex={1}
            label="Save as"
            autoComplete="off"
            description={replaces ? 'Replaces the favorite with this name.' : undefined}
            error={failed ? 'The browser storage is full.' : isEmpty ? 'The operation is empty.' : undefined}
            {...form.getInputProps('name')}
          />
          <ReasonButton
            size="xs"
            type="submit"
            variant="default"
            reason={isEmpty ? 'The operation is empty.' : name === '' ? 'Enter a name.' : undefined}
          >
            Save
          </ReasonButton>
        </Group>
      </form>
      {saved.length === 0 ? (
        <EmptyState title="No favorites">Operations that you save are stored in this browser.</EmptyState>
      ) : (
        <ul className={classes.list} aria-label="Favorites">
          {saved.map((one) => (
            <li key={one.name} className={classes.row}>
              <UnstyledButton className={classes.entry} onClick={() => onOpen(one)}>
                <Text size="sm" fw={600} truncate>
                  {one.name}
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  {titleOf(one.query)}
                </Text>
              </UnstyledButton>
              <Tooltip label={`Remove ${one.name}`}>
                <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${one.name}`} onClick={() => remove(one)}>
                  <CrossIcon size={16} />
                </ActionIcon>
              </Tooltip>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
