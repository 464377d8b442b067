/** Switches for the roles that can call an action. */
import { Anchor, Stack, Switch, Text } from '@mantine/core';
import { useCommand } from '../../api/use-command.ts';
import { linkTo } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { AddRole } from '../../ui/form/add-role.tsx';
import { Section } from '../../ui/page/section.tsx';
import { PlainTable } from '../../ui/table/plain-table.tsx';
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
          <PlainTable
            verticalSpacing={8}
            rows={['admin', ...shown]}
            keyOf={(role) => role}
            columns={[
              {
                key: 'role',
                header: 'Role',
                cellProps: { style: { overflowWrap: 'anywhere' } },
                cell: (role) => role,
              },
              {
                key: 'granted',
                header: 'May call it',
                headProps: { w: '8rem' },
                cell: (role) => (
                  <Switch
                    aria-label={`${role} may call it`}
                    checked={role === 'admin' || granted.has(role)}
                    disabled={role === 'admin' || (isPending && input?.role === role)}
                    onChange={(event) => run({ role, granted: event.currentTarget.checked })}
                  />
                ),
              },
            ]}
          />
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
