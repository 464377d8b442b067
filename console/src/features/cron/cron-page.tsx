/** The list of cron triggers with their last and next runs, their details, and the form. */
import type { CronTriggerStats, ListedCronTrigger } from '@joinery/metadata/api/events/cron';
import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo, navigate, useLocation } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { listTriggers, readRuns } from './cron-api.ts';
import { CronForm } from './cron-form.tsx';
import { LastRun, NextRun, RunStrip } from './runs.tsx';
import { scheduleSentence } from './schedule-text.ts';
import { calledBy, TriggerDetails, useRunNow } from './trigger-details.tsx';

/** A trigger with its runs, which are read separately. */
interface TriggerRow {
  readonly trigger: ListedCronTrigger;
  readonly stats: CronTriggerStats | undefined;
}

const columns: readonly [Column<TriggerRow>, ...Column<TriggerRow>[]] = [
  { key: 'name', header: 'Name', cell: ({ trigger }) => trigger.name },
  {
    key: 'schedule',
    header: 'Schedule',
    cell: ({ trigger }) => (
      <Text size="sm" truncate title={`${trigger.schedule}, ${trigger.timezone}`}>
        {scheduleSentence(trigger.schedule, trigger.timezone) ?? trigger.schedule}
      </Text>
    ),
  },
  {
    key: 'state',
    header: 'State',
    width: '6.5rem',
    cell: ({ trigger }) =>
      trigger.paused === true ? (
        <StatusDot tone="waiting">Paused</StatusDot>
      ) : (
        <StatusDot tone="good">Active</StatusDot>
      ),
  },
  {
    key: 'next',
    header: 'Next run',
    width: '8rem',
    cell: ({ stats }) => stats && <NextRun at={stats.next_run_at} paused={stats.paused} />,
  },
  { key: 'last', header: 'Last run', width: '12rem', cell: ({ stats }) => stats && <LastRun runs={stats.runs} /> },
  { key: 'runs', header: 'Runs', width: '6rem', cell: ({ stats }) => stats && <RunStrip runs={stats.runs} /> },
  {
    key: 'webhook',
    header: 'Webhook',
    ownLine: true,
    cell: ({ trigger }) => (
      <Text size="sm" truncate title={calledBy(trigger)}>
        {calledBy(trigger)}
      </Text>
    ),
  },
];

/** `view` is `all`, `new`, or `edit:<name>`. */
export function CronPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['cron', 'triggers'],
    queryFn: ({ signal }) => listTriggers(client, signal),
  });
  const runs = useQuery({
    queryKey: ['cron', 'runs'],
    queryFn: ({ signal }) => readRuns(client, signal),
    refetchInterval: adaptiveInterval,
  });
  const failed = error ?? runs.error;
  const view = params.view ?? 'all';
  const edited = view.startsWith('edit:') ? data?.find(({ name }) => name === view.slice('edit:'.length)) : undefined;
  if (view === 'new') return <CronForm />;
  if (edited !== undefined) return <CronForm key={edited.name} trigger={edited} />;
  return (
    <>
      <PageHeader
        title="Cron triggers"
        about="Webhooks and other targets that are called at the times of a schedule."
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo('/events/cron/new')}>
            Create a trigger
          </Button>
        }
      />
      <Stack mt="lg">
        {failed !== null && (
          <FailureNotice title="The triggers could not be read" failure={toFailure(failed)} onRetry={refetch} />
        )}
        {data === undefined ? (
          error === null && <Loading />
        ) : (
          <TriggerList rows={data.map((trigger) => ({ trigger, stats: runs.data?.value.get(trigger.name) }))} />
        )}
      </Stack>
    </>
  );
}

const LIST = '/events/cron/all';

function TriggerList({ rows }: { readonly rows: readonly TriggerRow[] }) {
  const opened = useLocation().search.get('trigger');
  const runNow = useRunNow();
  const shown = rows.find(({ trigger }) => trigger.name === opened);
  if (rows.length === 0) {
    return (
      <EmptyState
        title="There is no cron trigger"
        action={
          <Button component="a" variant="light" mt="xs" {...linkTo('/events/cron/new')}>
            Create a trigger
          </Button>
        }
      >
        A trigger calls its webhook by a schedule such as “every night at two”, in a time zone of your choice.
      </EmptyState>
    );
  }
  return (
    <>
      {runNow.failure !== undefined && <FailureNotice title="The trigger was not run" failure={runNow.failure} />}
      <DataTable
        label="Cron triggers"
        rows={rows}
        columns={columns}
        keyOf={({ trigger }) => trigger.name}
        onOpen={({ trigger }) => navigate(`${LIST}?trigger=${encodeURIComponent(trigger.name)}`)}
        actions={({ trigger }) => (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Run now: ${trigger.name}`}
            loading={runNow.isPending && runNow.input === trigger.name}
            onClick={() => runNow.run(trigger.name)}
          >
            Run now
          </Button>
        )}
      />
      <TriggerDetails trigger={shown?.trigger} stats={shown?.stats} onClose={() => navigate(LIST)} />
    </>
  );
}
