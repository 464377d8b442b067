/** Input for the name of a role that is not listed yet. */
import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';

interface AddRoleProps {
  readonly label: string;
  /** Label of the button. */
  readonly submit: string;
  readonly busy: boolean;
  /** `done` clears the input. */
  readonly onAdd: (role: string, done: () => void) => void;
}

export function AddRole({ label, submit, busy, onAdd }: AddRoleProps) {
  const [role, setRole] = useState('');
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (role.trim() !== '') onAdd(role.trim(), () => setRole(''));
  };
  return (
    <form onSubmit={add}>
      <Group gap="xs" align="end">
        <TextInput
          label={label}
          size="xs"
          autoComplete="off"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default" loading={busy} disabled={role.trim() === ''}>
          {submit}
        </Button>
      </Group>
    </form>
  );
}
