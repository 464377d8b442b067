/** API limits by role, and roles that cannot introspect the schema. */
import { ApiLimits } from '@joinery/metadata/schema/api-limits';
import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { useEditConflict } from '../../api/edit-conflict.ts';
import { printPretty } from '../../api/exact-json.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { jsonTextError } from '../../ui/form/schema-errors.ts';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { type PlainColumn, PlainTable } from '../../ui/table/plain-table.tsx';
import { FormDialog } from './form-dialog.tsx';
import { type LimitLine, linesOf } from './limits.ts';
import { type Operations, removeLimits, setLimits } from './operations-api.ts';

const example = { depth_limit: { global: 10 }, rate_limit: { global: { max_reqs_per_min: 600, unique_params: 'IP' } } };

function limitErrors({ text }: { readonly text: string }): FormErrors {
  return { text: jsonTextError(ApiLimits, text) };
}

export function LimitsSection({ operations }: { readonly operations: Operations }) {
  const client = useClient();
  const { api_limits, hidden_from } = operations;
  const [editing, setEditing] = useState(false);
  const form = useDraftForm({ initial: { text: '' }, validate: limitErrors, immediate: true });
  // The command replaces all limits, so it must name the version that the form was opened with.
  const { basis, newer, reopen } = useEditConflict(api_limits, operations.version);
  const [removing, setRemoving] = useState(false);
  const lines = linesOf(api_limits);
  const edit = (): void => {
    form.change({ text: printPretty(api_limits ?? example) });
    setEditing(true);
    reopen({ shown: api_limits, version: operations.version });
  };
  return (
    <Stack gap="md">
      {lines.length === 0 ? (
        <EmptyState title="Callers have no limits" action={<Button onClick={edit}>Set limits</Button>}>
          Depth, fields, batches, rows, time and rate can be limited, for every role and for some. Admins have none.
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
      <FormDialog
        opened={editing}
        title="Limits of callers"
        confirm="Save the limits"
        failed="The limits were not changed"
        form={form}
        perform={({ text }) => setLimits(client, text, basis.version)}
        performOver={newer && (({ text }) => setLimits(client, text, newer.version))}
        onClose={() => setEditing(false)}
        onDone={() => {
          notify({ title: 'Limits saved', text: 'They apply now on all nodes.' });
          setEditing(false);
        }}
      >
        <Textarea
          label="Limits"
          description="JSON as set_api_limits takes it: each with global, and per_role for roles of their own."
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
          spellCheck={false}
          autosize
          minRows={10}
          maxRows={24}
          {...form.getInputProps('text')}
        />
      </FormDialog>
      <ConfirmDialog
        title={removing ? 'Remove all limits?' : undefined}
        about="Callers of every role may then send operations of any depth, size and rate."
        confirm="Remove them"
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
