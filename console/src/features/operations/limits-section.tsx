/** API limits by role, and roles that cannot introspect the schema. */
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { type PlainColumn, PlainTable } from '../../ui/table/plain-table.tsx';
import { type LimitLine, linesOf } from './limits.ts';
import { LimitsDrawer } from './limits-drawer.tsx';
import { type Operations, removeLimits } from './operations-api.ts';

export function LimitsSection({ operations }: { readonly operations: Operations }) {
  const client = useClient();
  const { api_limits, hidden_from } = operations;
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const lines = linesOf(api_limits);
  const edit = (): void => setEditing(true);
  return (
    <Stack gap="md">
      {lines.length === 0 ? (
        <EmptyState title="Callers have no limits" action={<Button onClick={edit}>Set limits</Button>}>
          Limit the depth, fields, batches, rows, time and rate of requests, for all roles or for each role. Admins have
          no limits.
        </EmptyState>
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <Text size="sm" c="dimmed">
              {api_limits?.disabled === true
                ? 'They are stored but not enforced.'
                : 'Admins have none of these limits.'}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={() => setRemoving(true)}>
                Remove
              </Button>
              <Button onClick={edit}>Edit</Button>
            </Group>
          </Group>
          <LimitTable lines={lines} />
        </>
      )}
      {hidden_from.length > 0 && <Text size="sm">Introspection is rejected for {hidden_from.join(', ')}.</Text>}
      <LimitsDrawer opened={editing} operations={operations} onClose={() => setEditing(false)} />
      <ConfirmDialog
        title={removing ? 'Remove all limits?' : undefined}
        about="Callers of every role may then send operations of any depth, size and rate."
        confirm="Remove the limits"
        failed="The limits were not removed"
        perform={() => removeLimits(client)}
        onClose={() => setRemoving(false)}
        onDone={() => {
          notify({ title: 'Limits removed' });
          setRemoving(false);
        }}
      />
    </Stack>
  );
}

const limitColumns: readonly PlainColumn<LimitLine>[] = [
  { key: 'limit', header: 'Limit', cellProps: { fw: 600 }, cell: ({ label }) => label },
  { key: 'global', header: 'Every role', cell: ({ global }) => global },
  {
    key: 'roles',
    header: 'Roles with another',
    cell: ({ roles }) =>
      roles.length === 0
        ? '–'
        : roles.map(([role, limit]) => (
            <Text key={role} size="sm">
              {role}: {limit}
            </Text>
          )),
  },
];

function LimitTable({ lines }: { readonly lines: readonly LimitLine[] }) {
  return (
    <Paper withBorder bg="var(--joinery-surface)">
      <PlainTable
        horizontalSpacing="md"
        verticalSpacing="sm"
        aria-label="Limits"
        rows={lines}
        keyOf={({ key }) => key}
        columns={limitColumns}
      />
    </Paper>
  );
}
