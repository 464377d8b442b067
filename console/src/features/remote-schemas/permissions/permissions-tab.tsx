/** Permissions of a remote schema by role. */

import { Button, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { useRemoteSchema } from '../../../shared/remote-fields/use-remote-schema.ts';
import { knownNames } from '../../../shared/roles/known-names.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { dropRemotePermission, type RemotePermission, type RemoteSchema } from '../remotes-api.ts';
import { type EditedPermission, PermissionForm } from './permission-form.tsx';

interface PermissionsTabProps {
  readonly remote: RemoteSchema;
  readonly exported: unknown;
}

export function PermissionsTab({ remote, exported }: PermissionsTabProps) {
  const client = useClient();
  const schema = useRemoteSchema(remote.name, remote.state?.read_at);
  const [edited, setEdited] = useState<EditedPermission>();
  const [dropping, setDropping] = useState<string>();
  const permissions = remote.permissions ?? [];
  const add = (
    <ReasonButton
      size="xs"
      variant="default"
      leftSection={<PlusIcon size={14} />}
      reason={schema.data === undefined ? 'The schema could not be read.' : undefined}
      onClick={() => setEdited({ role: '', schema: '' })}
    >
      Add a permission
    </ReasonButton>
  );
  if (schema.data === undefined && schema.error === null) return <Loading />;
  return (
    <Stack gap="md">
      {schema.error !== null && (
        <FailureNotice title="Its schema is unknown" failure={toFailure(schema.error)} onRetry={schema.refetch} />
      )}
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={620}>
          They are enforced if the service runs with <Code>JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS</Code>. Without it,
          every role sees all of the remote schema.
        </Text>
        {permissions.length > 0 && add}
      </Group>
      {permissions.length === 0 && (
        <EmptyState title="No role has a permission" action={add}>
          Choose the fields that a role sees, and the arguments that are preset for it.
        </EmptyState>
      )}
      {permissions.map((permission) => (
        <RolePermission
          key={permission.role}
          permission={permission}
          onEdit={() => setEdited({ role: permission.role, schema: permission.definition.schema })}
          onDrop={() => setDropping(permission.role)}
        />
      ))}
      <DetailDrawer
        subject={edited}
        title={({ role }) => (role === '' ? 'Add a permission' : `What ${role} sees`)}
        size="wide"
        onClose={() => setEdited(undefined)}
      >
        {(shown) =>
          schema.data !== undefined && (
            <PermissionForm
              remote={remote}
              schema={schema.data}
              edited={shown}
              roles={knownNames(exported, client.headerPrefix).roles}
              onClose={() => setEdited(undefined)}
            />
          )
        }
      </DetailDrawer>
      <ConfirmDialog
        title={dropping && `Remove the permission of ${dropping}?`}
        about={`${dropping ?? 'The role'} sees nothing of ${remote.name} any more.`}
        confirm="Remove the permission"
        failed="The permission was not removed"
        perform={() => dropRemotePermission(client, remote.name, dropping ?? '')}
        onClose={() => setDropping(undefined)}
        onDone={() => setDropping(undefined)}
      />
    </Stack>
  );
}

interface RolePermissionProps {
  readonly permission: RemotePermission;
  readonly onEdit: () => void;
  readonly onDrop: () => void;
}

function RolePermission({ permission: { role, definition }, onEdit, onDrop }: RolePermissionProps) {
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={`Permission of ${role}`}>
      <Group justify="space-between" mb="xs">
        <Text fw={600}>{role}</Text>
        <Group gap={4}>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={`Edit what ${role} sees`}
            onClick={onEdit}
          >
            Edit
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            aria-label={`Remove the permission of ${role}`}
            onClick={onDrop}
          >
            Remove
          </Button>
        </Group>
      </Group>
      <JsonView plain what={`SDL of ${role}`} text={definition.schema} />
    </Paper>
  );
}
