/** The alerts: their conditions and states; create, edit, disable and delete. */
import type { Alert } from '@joinery/metadata/api/events/alerts';
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { adaptiveInterval, timed } from '../../../api/polling.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { relative, utcText } from '../../../ui/time/times.ts';
import { useNow } from '../../../ui/time/use-now.ts';
import { conditionText, valueText } from './alert-draft.ts';
import { AlertDrawer, type OpenedAlert } from './alert-form.tsx';

const columns: readonly [Column<Alert>, ...Column<Alert>[]] = [
  { key: 'name', header: 'Alert', width: '14rem', cell: ({ name }) => name },
  {
    key: 'condition',
    header: 'Condition',
    ownLine: true,
    cell: (alert) => (
      <Text size="sm" truncate title={conditionText(alert)}>
        {conditionText(alert)}
      </Text>
    ),
  },
  { key: 'state', header: 'State', width: '8rem', cell: (alert) => <AlertState alert={alert} /> },
  { key: 'value', header: 'Value', width: '7rem', cell: (alert) => <Text size="sm">{valueText(alert)}</Text> },
  { key: 'since', header: 'Active since', width: '9rem', cell: ({ active_since }) => <Since at={active_since} /> },
];

function AlertState({ alert: { enabled, active_since, checked_at } }: { readonly alert: Alert }) {
  if (!enabled) return <StatusDot tone="waiting">Disabled</StatusDot>;
  if (active_since !== null) return <StatusDot tone="bad">Active</StatusDot>;
  return checked_at === null ? (
    <StatusDot tone="waiting">Not checked</StatusDot>
  ) : (
    <StatusDot tone="good">Not active</StatusDot>
  );
}

function Since({ at }: { readonly at: string | null }) {
  const now = useNow();
  if (at === null) return <Text size="sm">–</Text>;
  const ms = Date.parse(at);
  return (
    <Text size="sm" title={utcText(ms)}>
      {relative(ms, now)}
    </Text>
  );
}

export function AlertsSection() {
  const client = useClient();
  const [opened, setOpened] = useState<OpenedAlert>();
  const { data, error, refetch } = useQuery({
    queryKey: ['delivery', 'alerts'],
    queryFn: ({ signal }) => timed(client.command('get_alerts', {}, { signal })),
    refetchInterval: adaptiveInterval,
  });
  const alerts = data?.value.alerts;
  const create = (
    <Button
      size="xs"
      variant="light"
      leftSection={<PlusIcon size={14} />}
      onClick={() => setOpened({ alert: undefined })}
    >
      Create an alert
    </Button>
  );
  return (
    <section aria-labelledby="alerts">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="alerts">
          Alerts
        </Title>
        {alerts !== undefined && alerts.length > 0 && create}
      </Group>
      {error !== null && (
        <FailureNotice title="The alerts could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {alerts === undefined ? (
        error === null && <Loading />
      ) : alerts.length === 0 ? (
        <EmptyState title="There is no alert" action={create}>
          An alert calls a webhook when calls fail, a circuit opens or events wait, and again when that ends.
        </EmptyState>
      ) : (
        <DataTable
          label="Alerts"
          rows={alerts}
          columns={columns}
          keyOf={({ name }) => name}
          onOpen={(alert) => setOpened({ alert })}
        />
      )}
      <AlertDrawer opened={opened} onClose={() => setOpened(undefined)} />
    </section>
  );
}
