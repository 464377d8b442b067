/** Input for the name of a role that is not listed yet. */
import { Group, TextInput } from '@mantine/core';
import { ReasonButton } from './reason-button.tsx';
import { requiredText, useDraftForm } from './use-draft-form.ts';

interface AddRoleProps {
  readonly label: string;
  /** Label of the button. */
  readonly submit: string;
  readonly busy: boolean;
  /** `done` clears the input. */
  readonly onAdd: (role: string, done: () => void) => void;
}

export function AddRole({ label, submit, busy, onAdd }: AddRoleProps) {
  const form = useDraftForm({
    initial: { role: '' },
    validate: ({ role }) => ({ role: requiredText(role) }),
    isTransient: true,
  });
  return (
    <form onSubmit={form.onSubmit(({ role }) => onAdd(role.trim(), form.reset))}>
      <Group gap="xs" align="end">
        <TextInput label={label} size="xs" autoComplete="off" {...form.getInputProps('role')} />
        <ReasonButton
          type="submit"
          size="xs"
          variant="default"
          loading={busy}
          reason={form.isValid() ? undefined : 'Enter the name of a role.'}
        >
          {submit}
        </ReasonButton>
      </Group>
    </form>
  );
}
