/** Tracking of a function that returns rows, and the roles that can call it. */
import { Button, Group, Pill, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { useCommand } from '../../../api/use-command.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { AddRole } from '../../../ui/form/add-role.tsx';
import { sentence } from '../../../ui/format.ts';
import type { ListedFunction } from './function-list.ts';
import {
  type DatabaseFunction,
  type Exposure,
  setFunctionRole,
  trackFunction,
  untrackFunction,
} from './functions-api.ts';

interface TrackingProps {
  readonly source: string;
  readonly found: ListedFunction;
  /** Roles with a permission of their own. */
  readonly roles: readonly string[];
}

export function Tracking({ source, found, roles }: TrackingProps) {
  const { called, state, problem, fields } = found;
  return (
    <Stack gap="xs" align="flex-start">
      {fields.length > 0 && <Text size="sm">It is the function of {fieldNames(fields)}.</Text>}
      {problem !== undefined && <Text size="sm">{sentence(`It cannot be tracked: ${problem}`)}</Text>}
      {state === 'trackable' && <TrackButtons source={source} called={called} />}
      {state === 'tracked' && <Untrack source={source} called={called} />}
      {state === 'tracked' && <Roles source={source} called={called} roles={roles} />}
    </Stack>
  );
}

function fieldNames(fields: readonly string[]): string {
  return `${fields.length === 1 ? 'the computed field' : 'the computed fields'} ${fields.join(', ')}`;
}

interface OneFunctionProps {
  readonly source: string;
  readonly called: DatabaseFunction;
}

function TrackButtons({ source, called }: OneFunctionProps) {
  const { run, failure, isPending } = useCommand(
    (client, exposedAs: Exposure) => trackFunction(client, source, called, exposedAs),
    { notice: (_result, exposedAs) => ({ title: `${tableLabel(called)} is a ${exposedAs} now` }) },
  );
  const isVolatile = called.volatility === 'volatile';
  return (
    <>
      <Group gap="xs">
        {isVolatile && (
          <Button size="xs" loading={isPending} onClick={() => run('mutation')}>
            Track as a mutation
          </Button>
        )}
        <Button size="xs" {...(isVolatile && { variant: 'default' })} loading={isPending} onClick={() => run('query')}>
          Track as a query
        </Button>
      </Group>
      {failure !== undefined && <FailureNotice title="The function was not tracked" failure={failure} />}
    </>
  );
}

function Untrack({ source, called }: OneFunctionProps) {
  const client = useClient();
  const [confirming, setConfirming] = useState(false);
  const close = (): void => setConfirming(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setConfirming(true)}>
        Untrack
      </Button>
      <ConfirmDialog
        title={confirming ? `Untrack ${tableLabel(called)}?` : undefined}
        about="Removes its root field from the schema, and its permissions. The function remains in the database."
        confirm="Untrack"
        failed="The function was not untracked"
        perform={() => untrackFunction(client, source, called)}
        onClose={close}
        onDone={close}
      />
    </>
  );
}

function Roles({ source, called, roles }: OneFunctionProps & Pick<TrackingProps, 'roles'>) {
  const { run, failure, isPending } = useCommand(
    (client, change: { readonly role: string; readonly granted: boolean }) =>
      setFunctionRole(client, source, called, change.role, change.granted),
  );
  return (
    <Stack gap="xs" align="flex-start">
      <Group gap="xs">
        <Text size="sm">Roles with permission:</Text>
        <Pill>admin</Pill>
        {roles.map((one) => (
          <Pill
            key={one}
            withRemoveButton
            onRemove={() => run({ role: one, granted: false })}
            removeButtonProps={{ 'aria-label': `Revoke from ${one}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            {one}
          </Pill>
        ))}
      </Group>
      <AddRole
        label="Role"
        submit="Grant permission"
        busy={isPending}
        onAdd={(role, done) => run({ role, granted: true }, done)}
      />
      <Text size="xs" c="dimmed">
        A role that can select from the table can also call functions that are not volatile, unless
        JOINERY_INFER_FUNCTION_PERMISSIONS is false.
      </Text>
      {failure !== undefined && <FailureNotice title="The permissions were not changed" failure={failure} />}
    </Stack>
  );
}
