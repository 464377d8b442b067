/** Matrix of actions and roles with a switch for each permission. */
import { Anchor, Switch, Text } from '@mantine/core';
import { useCommand } from '../../../api/use-command.ts';
import { linkTo } from '../../../router/location.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import { actionPath } from '../action-paths.ts';
import classes from '../actions.module.css';
import { type Action, setPermission } from '../actions-api.ts';

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
  const { run, failure, isPending, input } = useCommand(
    (client, { action, role, granted }: Change) => setPermission(client, action, role, granted),
    {
      notice: (_result, { action, role, granted }) => ({
        title: `${role} may ${granted ? '' : 'no longer '}call ${action}`,
      }),
    },
  );
  if (roles.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        The metadata has no role yet: only admins may call actions. Permit a role in the tab Permissions of an action.
      </Text>
    );
  }
  return (
    <>
      {failure !== undefined && <FailureNotice title="The permissions were not changed" failure={failure} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.matrix} aria-label="Permissions of actions" tabIndex={0}>
        <PlainTable
          verticalSpacing={8}
          rows={actions}
          keyOf={({ name }) => name}
          columns={[
            {
              key: 'name',
              header: 'Action',
              isRowHeader: true,
              headProps: { className: classes.rowHead ?? '' },
              cellProps: { className: classes.rowHead ?? '' },
              cell: ({ name }) => (
                <Anchor {...linkTo(actionPath(name))} size="sm" underline="hover">
                  {name}
                </Anchor>
              ),
            },
            ...roles.map((role) => ({
              key: `role ${role}`,
              header: role,
              cell: ({ name, permissions = [] }: Action) => (
                <Switch
                  aria-label={`${role} may call ${name}`}
                  checked={permissions.some((one) => one.role === role)}
                  disabled={isPending && input?.role === role && input.action === name}
                  onChange={(event) => run({ action: name, role, granted: event.currentTarget.checked })}
                />
              ),
            })),
          ]}
        />
      </section>
    </>
  );
}
