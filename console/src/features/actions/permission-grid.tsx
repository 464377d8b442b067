/** Matrix of actions and roles with a switch for each permission. */
import { Anchor, Switch, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { linkTo } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import classes from './actions.module.css';
import { type Action, setPermission } from './actions-api.ts';

interface PermissionGridProps {
  readonly actions: readonly Action[];
  /** All roles of the metadata except admin. */
  readonly roles: readonly string[];
}

interface Change {
  readonly action: string;
  readonly role: string;
  readonly granted: boolean;
}

export function PermissionGrid({ actions, roles }: PermissionGridProps) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const { mutate, error, isPending, variables } = useMutation({
    mutationFn: ({ action, role, granted }: Change) => setPermission(client, action, role, granted),
    onSuccess: (_result, { action, role, granted }) =>
      notify({ title: `${role} may ${granted ? '' : 'no longer '}call ${action}` }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  if (roles.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        The metadata name no role yet: the admin alone calls actions. Let a role call one on the page of the action.
      </Text>
    );
  }
  return (
    <>
      {error !== null && <FailureNotice title="The permissions were not changed" failure={toFailure(error)} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.matrix} aria-label="Permissions of actions" tabIndex={0}>
        <Table verticalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes.rowHead ?? ''}>Action</Table.Th>
              {roles.map((role) => (
                <Table.Th key={role}>{role}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {actions.map(({ name, permissions = [] }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" className={classes.rowHead ?? ''}>
                  <Anchor {...linkTo(`/actions/of/${name}`)} size="sm" underline="hover">
                    {name}
                  </Anchor>
                </Table.Th>
                {roles.map((role) => (
                  <Table.Td key={role}>
                    <Switch
                      aria-label={`${role} may call ${name}`}
                      checked={permissions.some((one) => one.role === role)}
                      disabled={isPending && variables.role === role && variables.action === name}
                      onChange={(event) => mutate({ action: name, role, granted: event.currentTarget.checked })}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </>
  );
}
