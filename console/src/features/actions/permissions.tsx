/** Switches for the roles that can call an action. */
import { Anchor, Stack, Switch, Table, Text } from '@mantine/core';
import { useCommand } from '../../api/use-command.ts';
import { linkTo } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { AddRole } from '../../ui/form/add-role.tsx';
import { Section } from '../../ui/page/section.tsx';
import classes from './actions.module.css';
import { type Action, setPermission } from './actions-api.ts';

interface PermissionsProps {
  readonly action: Action;
  /** All roles of the metadata except admin. */
  readonly roles: readonly string[];
}

export function Permissions({ action, roles }: PermissionsProps) {
  const { run, failure, isPending, input } = useCommand(
    (client, change: { readonly role: string; readonly granted: boolean }) =>
      setPermission(client, action.name, change.role, change.granted),
    {
      notice: (_result, change) => ({
        title: `${change.role} may ${change.granted ? '' : 'no longer '}call ${action.name}`,
      }),
    },
  );
  const granted = new Set(action.permissions?.map((one) => one.role));
  const shown = [...new Set([...granted, ...roles])].sort();
  return (
    <Section title="Permissions">
      <Stack gap="sm" align="flex-start">
        <div className={classes.grid}>
          <Table verticalSpacing={8}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Role</Table.Th>
                <Table.Th w="8rem">May call it</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              <Table.Tr>
                <Table.Td>admin</Table.Td>
                <Table.Td>
                  <Switch aria-label="admin may call it" checked disabled readOnly />
                </Table.Td>
              </Table.Tr>
              {shown.map((one) => (
                <Table.Tr key={one}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{one}</Table.Td>
                  <Table.Td>
                    <Switch
                      aria-label={`${one} may call it`}
                      checked={granted.has(one)}
                      disabled={isPending && input?.role === one}
                      onChange={(event) => run({ role: one, granted: event.currentTarget.checked })}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        {failure !== undefined && <FailureNotice title="The permissions were not changed" failure={failure} />}
        <AddRole
          label="Another role"
          submit="Let it call"
          busy={isPending}
          onAdd={(role, done) => run({ role, granted: true }, done)}
        />
        <Text size="sm" c="dimmed">
          Permissions of joined tables apply too. See also{' '}
          <Anchor {...linkTo('/')} inherit>
            inconsistent objects
          </Anchor>
          .
        </Text>
      </Stack>
    </Section>
  );
}
