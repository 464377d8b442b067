/** Functions that return table rows: tracking, and roles that can call them. */
import type { SourceFunction } from '@joinery/metadata/api/sources/catalog';
import { Button, Group, Paper, Pill, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { sameTable, sourcePath, type TableName, tableKey, tableLabel } from '../../shared/sources/table-paths.ts';
import { useSourceFunctions, useSources } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { AddRole } from '../../ui/form/add-role.tsx';
import { sentence } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page/page-header.tsx';

export function FunctionsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { source = '' } = params;
  const sources = useSources();
  const { data, error, refetch } = useSourceFunctions(source);
  const entries = sources.data?.find((one) => one.name === source)?.functions ?? [];
  const [untracking, setUntracking] = useState<SourceFunction>();
  return (
    <>
      <PageHeader
        title="Functions"
        about="Database functions that return table rows. Tracked functions are root fields."
        back={{ to: sourcePath(source), label: 'Tables' }}
      />
      <Stack>
        {error !== null && (
          <FailureNotice title="The functions could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined && error === null && <Loading />}
        {data?.length === 0 && (
          <EmptyState title="No functions to track">
            A function that returns setof a tracked table can be tracked as a query. A volatile function can also be a
            mutation.
          </EmptyState>
        )}
        {data?.map((one) => (
          <FunctionCard
            key={tableKey(one)}
            source={source}
            found={one}
            roles={(entries.find((entry) => sameTable(entry.function, one))?.permissions ?? []).map(({ role }) => role)}
            onUntrack={() => setUntracking(one)}
          />
        ))}
      </Stack>
      <ConfirmDialog
        title={untracking && `Untrack ${tableLabel(untracking)}?`}
        about="Removes its root field from the schema, and its permissions. The function remains in the database."
        confirm="Untrack"
        failed="The function was not untracked"
        perform={async () => {
          if (untracking !== undefined) await untrackFunction(client, source, untracking);
        }}
        onClose={() => setUntracking(undefined)}
        onDone={() => setUntracking(undefined)}
      />
    </>
  );
}

interface FunctionCardProps {
  readonly source: string;
  readonly found: SourceFunction;
  readonly roles: readonly string[];
  readonly onUntrack: () => void;
}

function FunctionCard({ source, found, roles, onUntrack }: FunctionCardProps) {
  const label = tableLabel(found);
  const { run, failure, isPending } = useCommand(
    (client, exposedAs: Exposure) => trackFunction(client, source, found, exposedAs),
    { notice: (_result, exposedAs) => ({ title: `${label} is a ${exposedAs} now` }) },
  );
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={label}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Text fw={600}>{label}</Text>
          <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {signatureOf(found)}
          </Text>
          <Text size="sm" c="dimmed">
            {[found.volatility, ...(found.comment === null ? [] : [found.comment])].join(' · ')}
          </Text>
        </div>
        <StatusDot tone={found.tracked ? 'good' : 'waiting'}>{found.tracked ? 'Tracked' : 'Not tracked'}</StatusDot>
      </Group>
      {!found.tracked && found.problem !== undefined && (
        <Text size="sm" mt="xs">
          {sentence(`It cannot be tracked: ${found.problem}`)}
        </Text>
      )}
      {found.tracked && (
        <Button size="xs" variant="default" mt="sm" onClick={onUntrack}>
          Untrack
        </Button>
      )}
      {!found.tracked && found.problem === undefined && (
        <Group gap="xs" mt="sm">
          {found.volatility === 'volatile' && (
            <Button size="xs" loading={isPending} onClick={() => run('mutation')}>
              Track as a mutation
            </Button>
          )}
          <Button
            size="xs"
            {...(found.volatility === 'volatile' && { variant: 'default' })}
            loading={isPending}
            onClick={() => run('query')}
          >
            Track as a query
          </Button>
        </Group>
      )}
      {failure !== undefined && <FailureNotice title="The function was not tracked" failure={failure} />}
      {found.tracked && <Roles source={source} found={found} roles={roles} />}
    </Paper>
  );
}

function Roles({ source, found, roles }: Omit<FunctionCardProps, 'onUntrack'>) {
  const { run, failure, isPending } = useCommand(
    (client, change: { readonly role: string; readonly granted: boolean }) =>
      setFunctionRole(client, source, found, change.role, change.granted),
  );
  return (
    <Stack gap="xs" mt="md" align="flex-start">
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

type Exposure = 'query' | 'mutation';

async function trackFunction(
  client: Client,
  source: string,
  { schema, name }: TableName,
  exposedAs: Exposure,
): Promise<void> {
  const configuration = { exposed_as: exposedAs };
  await client.command('pg_track_function', { source, function: { schema, name }, configuration });
}

async function untrackFunction(client: Client, source: string, { schema, name }: TableName): Promise<void> {
  await client.command('pg_untrack_function', { source, function: { schema, name } });
}

async function setFunctionRole(
  client: Client,
  source: string,
  { schema, name }: TableName,
  role: string,
  granted: boolean,
): Promise<void> {
  const type = granted ? 'pg_create_function_permission' : 'pg_drop_function_permission';
  await client.command(type, { source, function: { schema, name }, role });
}

/** Formats `top_customers(most int4 = …): many customer`. */
function signatureOf({ name, arguments: taken, returns, returns_set }: SourceFunction): string {
  const list = taken.map(
    (one) => `${one.name === '' ? '' : `${one.name} `}${one.type}${one.has_default ? ' = …' : ''}`,
  );
  return `${name}(${list.join(', ')}): ${returns_set ? 'rows' : 'a row'} of ${returns.name}`;
}
