/** Saves and loads operations in this browser. */
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  removeOperation,
  type SavedOperation,
  savedOperations,
  saveOperation,
} from '../../shared/graphql/saved-operations.ts';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';

interface SavedOperationsProps {
  readonly query: string;
  readonly variables: string;
  readonly onOpen: (saved: SavedOperation) => void;
}

export function SavedOperations({ query, variables, onOpen }: SavedOperationsProps) {
  const [saved, setSaved] = useState(() => savedOperations(window.localStorage));
  const form = useDraftForm({ initial: { name: '' } });
  const name = form.values.name.trim();
  const [failed, setFailed] = useState(false);
  const store = form.onSubmit(() => {
    try {
      setSaved(saveOperation(window.localStorage, { name, query, variables }));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  });
  const known = saved.some((one) => one.name === name);
  const open = (chosen: string): void => {
    const found = saved.find((one) => one.name === chosen);
    if (found === undefined) return;
    form.change({ name: chosen });
    onOpen(found);
  };
  return (
    <form onSubmit={store}>
      <Group gap="sm" align="flex-end">
        {saved.length > 0 && (
          <NativeSelect
            label="Saved operations"
            data={[{ value: '', label: 'Open …' }, ...saved.map((one) => one.name)]}
            value={known ? name : ''}
            onChange={(event) => open(event.currentTarget.value)}
          />
        )}
        <TextInput label="Save as" autoComplete="off" {...form.getInputProps('name')} />
        <Button type="submit" variant="default" disabled={name === '' || query.trim() === ''}>
          Save
        </Button>
        {known && (
          <Button
            variant="default"
            onClick={() => {
              setSaved(removeOperation(window.localStorage, name));
              form.reset();
            }}
          >
            Remove
          </Button>
        )}
      </Group>
      {failed && (
        <Text size="sm" mt={4} c="var(--mantine-color-error)" role="alert">
          The browser storage is full.
        </Text>
      )}
    </form>
  );
}
