/** The roles that may call an action, changed together, with what each role sees of the joined objects. */
import { Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useCommand } from '../../../api/use-command.ts';
import { linkTo } from '../../../router/location.ts';
import { AddRole } from '../../../ui/form/add-role.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { SaveFailure } from '../../../ui/form/save-failure.tsx';
import { useDraftForm } from '../../../ui/form/use-draft-form.ts';
import { counted } from '../../../ui/format.ts';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import classes from '../actions.module.css';
import { type Action, type ActionsMetadata, setPermissions } from '../actions-api.ts';
import { outputTypes } from '../sdl/action-types.ts';
import { joinedViews } from './role-view.ts';

interface PermissionsTabProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
  /** All roles of the metadata except admin. */
  readonly roles: readonly string[];
}

interface Draft {
  /** The changed roles, and whether they may call the action then. */
  readonly changes: Readonly<Record<string, boolean>>;
}

export function PermissionsTab({ action, metadata, roles }: PermissionsTabProps) {
  const form = useDraftForm<Draft>({ initial: { changes: {} } });
  const { changes } = form.values;
  const granted = new Set(action.permissions?.map((one) => one.role));
  const shown = [...new Set([...granted, ...roles, ...Object.keys(changes)])].sort();
  const isGranted = (role: string): boolean => role === 'admin' || (changes[role] ?? granted.has(role));
  const set = (chosen: readonly string[], value: boolean): void => {
    const kept = Object.entries(changes).filter(([role]) => !chosen.includes(role));
    const changed = chosen.filter((role) => granted.has(role) !== value).map((role) => [role, value] as const);
    form.change({ changes: Object.fromEntries([...kept, ...changed]) });
  };
  const command = useCommand((client, saved: Draft['changes']) => setPermissions(client, action.name, saved), {
    notice: () => ({ title: 'Permissions changed' }),
    onDone: () => form.open({ changes: {} }),
  });
  const save = form.onSubmit((draft) => command.run(draft.changes));
  const count = Object.keys(changes).length;
  return (
    <Stack gap="sm" align="flex-start">
      <Group gap="xs">
        <Button size="compact-sm" variant="default" onClick={() => set(shown, true)}>
          Permit all roles
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => set(shown, false)}>
          Permit only admin
        </Button>
      </Group>
      <div className={classes.roles}>
        <PlainTable
          verticalSpacing={6}
          rows={['admin', ...shown]}
          keyOf={(role) => role}
          columns={[
            {
              key: 'role',
              header: 'Role',
              isRowHeader: true,
              cellProps: { style: { overflowWrap: 'anywhere' } },
              cell: (role) => role,
            },
            {
              key: 'granted',
              header: 'May call it',
              headProps: { w: '7rem' },
              cell: (role) =>
                role === 'admin' ? (
                  <Text size="sm" c="dimmed">
                    Always
                  </Text>
                ) : (
                  <Switch
                    aria-label={`${role} may call it`}
                    checked={isGranted(role)}
                    onChange={(event) => set([role], event.currentTarget.checked)}
                  />
                ),
            },
            {
              key: 'sees',
              header: 'Sees',
              cell: (role) =>
                isGranted(role) ? (
                  <Seen action={action} metadata={metadata} role={role} />
                ) : (
                  <Text size="sm" c="dimmed">
                    Nothing
                  </Text>
                ),
            },
          ]}
        />
      </div>
      <AddRole
        label="Another role"
        submit="Permit the role"
        busy={false}
        onAdd={(role, done) => {
          set([role], true);
          done();
        }}
      />
      <Group gap="sm">
        <ReasonButton
          loading={command.isPending}
          reason={count === 0 ? 'There are no changes to save.' : undefined}
          onClick={() => save()}
        >
          {count === 0 ? 'Save the permissions' : `Save ${counted(count, 'change')}`}
        </ReasonButton>
        {count > 0 && (
          <Button variant="default" onClick={() => form.open({ changes: {} })}>
            Discard the changes
          </Button>
        )}
      </Group>
      {command.failure !== undefined && (
        <SaveFailure title="The permissions were not changed" failure={command.failure} />
      )}
    </Stack>
  );
}

interface SeenProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
  readonly role: string;
}

function Seen({ action, metadata, role }: SeenProps) {
  const fields = outputTypes(action, metadata.types)[0]?.fields.map(({ name }) => name);
  return (
    <Stack gap={2}>
      <Text size="sm">{fields === undefined ? 'The output' : fields.join(', ')}</Text>
      {joinedViews(action, metadata, role).map(({ field, sees, text, to }) => (
        <Text key={field} size="sm" c={sees ? 'var(--mantine-color-text)' : 'dimmed'}>
          <Anchor inherit {...linkTo(to)}>
            {field}
          </Anchor>
          {sees ? `: ${text}` : `: not visible, ${text}`}
        </Text>
      ))}
    </Stack>
  );
}
