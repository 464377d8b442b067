/** Saves and loads operations in this browser. */
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import {
  removeOperation,
  type SavedOperation,
  savedOperations,
  saveOperation,
} from '../../shared/graphql/saved-operations.ts';

interface SavedOperationsProps {
  readonly query: string;
  readonly variables: string;
  readonly onOpen: (saved: SavedOperation) => void;
}

export function SavedOperations({ query, variables, onOpen }: SavedOperationsProps) {
  const [saved, setSaved] = useState(() => savedOperations(window.localStorage));
  const [name, setName] = useState('');
  const [failed, setFailed] = useState(false);
  const keep = (event: FormEvent): void => {
    event.preventDefault();
    try {
      setSaved(saveOperation(window.localStorage, { name: name.trim(), query, variables }));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  const known = saved.some((one) => one.name === name.trim());
  const open = (chosen: string): void => {
    const found = saved.find((one) => one.name === chosen);
    if (found === undefined) return;
    setName(chosen);
    onOpen(found);
  };
  return (
    <form onSubmit={keep}>
      <Group gap="sm" align="flex-end">
        {saved.length > 0 && (
          <NativeSelect
            label="Saved operations"
            data={[{ value: '', label: 'Open …' }, ...saved.map((one) => one.name)]}
            value={known ? name.trim() : ''}
            onChange={(event) => open(event.currentTarget.value)}
          />
        )}
        <TextInput
          label="Save as"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={name.trim() === '' || query.trim() === ''}>
          Save
        </Button>
        {known && (
          <Button
            variant="default"
            onClick={() => {
              setSaved(removeOperation(window.localStorage, name.trim()));
              setName('');
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
