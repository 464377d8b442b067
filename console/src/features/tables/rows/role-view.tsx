/** Selects the role and session variables for reading rows. */

import { Autocomplete, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useClient } from '../../../api/context.ts';
import { isSessionProblem, sessionHeaders } from '../../../shared/graphql/role-session.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { requiredText, useDraftForm } from '../../../ui/form/use-draft-form.ts';
import type { Session } from '../row-model/rows-api.ts';

interface RoleDialogProps {
  readonly opened: boolean;
  /** Roles to choose from. */
  readonly roles: readonly string[];
  readonly onChoose: (session: Session) => void;
  readonly onClose: () => void;
}

export function RoleDialog({ opened, roles, onChoose, onClose }: RoleDialogProps) {
  const { headerPrefix } = useClient();
  const form = useDraftForm({
    initial: { role: '', variables: '' },
    validate: ({ role, variables }) => {
      const headers = sessionHeaders(role, variables, headerPrefix);
      return { role: requiredText(role), variables: isSessionProblem(headers) ? headers.problem : undefined };
    },
    immediate: true,
    isTransient: true,
  });
  const submit = form.onSubmit(({ role, variables }) => {
    const headers = sessionHeaders(role, variables, headerPrefix);
    if (!isSessionProblem(headers)) onChoose(headers);
  });
  return (
    <Dialog opened={opened} onClose={onClose} title="See the rows as a role">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm">Shows the rows and columns that the select permission of the role permits.</Text>
          <Autocomplete
            label="Role"
            placeholder="user"
            data={[...roles]}
            required
            data-autofocus
            {...form.getInputProps('role', { withError: false })}
          />
          <Textarea
            label="Session variables"
            description="One on each line, such as user-id: 1"
            autosize
            minRows={2}
            spellCheck={false}
            {...form.getInputProps('variables')}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <ReasonButton type="submit" reason={form.invalid}>
              Show the rows
            </ReasonButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Formats `user (x-service-user-id: 1)`. */
export function describeSession(session: Session): string {
  const variables = Object.entries(session).filter(([name]) => !name.endsWith('-role'));
  const role = Object.entries(session).find(([name]) => name.endsWith('-role'))?.[1] ?? '';
  return variables.length === 0
    ? role
    : `${role} (${variables.map(([name, value]) => `${name}: ${value}`).join(', ')})`;
}

export function rolesOf(entry: TableEntry | undefined): readonly string[] {
  return [...new Set((entry?.select_permissions ?? []).map(({ role }) => role))];
}
